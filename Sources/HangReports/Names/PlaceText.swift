package import Interlock
import ProcessInspection

/// Formats places in code, as far as their frames have symbols.
package enum PlaceText {
  /// `TMCache.swift:61  get(_:)` for the first frame in user code, or `TMCache.swift:61  get(_:) by
  /// NIOLock.lock()` if that calls a lock's function. `nil` if nothing is known.
  package static func place(_ frames: [StackFrame]) -> String? {
    callSite(of: frames).map(text) ?? frame(of: frames).flatMap(text)
  }

  /// `Bank.swift:61  close()`, with the helper that `close` calls; `nil` if only an address is
  /// known.
  package static func text(_ shown: CallSite.Shown) -> String? {
    text(shown.place).map { text in
      text + (shown.helper.map { " by \(Printable.cut(Printable.line($0), to: 80))" } ?? "")
    }
  }

  /// The frame that calls a lock's functions, if such functions are among the user's frames; `nil`
  /// otherwise.
  package static func callSite(of frames: [StackFrame]) -> CallSite.Shown? {
    let site = CallSite(operation: "", users: frames)
    guard site.frames.count > 1 else { return nil }
    return CallSite.shown([site])[0].flatMap { $0.helper == nil ? nil : $0 }
  }

  /// The place with its caller, if known: the place itself may be in a wrapper's `lock()`.
  static func placeAndCaller(_ frames: [StackFrame]) -> String? {
    guard let first = place(frames) else { return nil }
    guard callSite(of: frames) == nil else { return first }
    let users = frames.filter { !$0.isSystem }.compactMap(text)
    return users.count > 1 && users[1] != first ? "\(first), called at \(users[1])" : first
  }

  /// ` at PosixLock.swift:9  lock(), called at Bank.swift:12  add(_:)`; empty if nothing is known.
  package static func atWithCaller(_ frames: [StackFrame]) -> String {
    placeAndCaller(frames).map { " at " + $0 } ?? ""
  }

  /// `at TMCache.swift:61  get(_:)`, with a space before it; empty if nothing is known.
  package static func at(_ frames: [StackFrame]) -> String {
    place(frames).map { " at " + $0 } ?? ""
  }

  /// `'store_lock'`, for the symbol of a variable.
  package static func variable(_ symbol: String) -> String {
    "'\(Printable.cut(Printable.line(symbol), to: 80))'"
  }

  /// The first frame in user code; otherwise the first that the compiler did not generate;
  /// otherwise the first.
  static func frame(of frames: [StackFrame]) -> StackFrame? {
    callSite(of: frames)?.place ?? frames.first { !$0.isSystem }
      ?? frames.first { !$0.isCompilers } ?? frames.first
  }

  /// `TMCache.swift:61  get(_:)`; `nil` if only an address is known.
  private static func text(_ frame: StackFrame) -> String? {
    let function = frame.function.map { Printable.cut(Printable.line($0), to: 80) }
    if let file = frame.file, let line = frame.line, line > 0 {
      let base = file.split(separator: "/").last.map(String.init) ?? file
      let place = "\(Printable.label(base)):\(line)"
      return function.map { place + "  " + $0 } ?? place
    }
    let image = frame.image.map { "(\(Printable.label($0)))" }
    let known = [function, image].compactMap { $0 }
    return known.isEmpty ? nil : known.joined(separator: "  ")
  }
}
