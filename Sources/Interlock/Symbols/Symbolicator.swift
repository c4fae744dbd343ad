/// Turns addresses of this process into functions and lines. Slow (milliseconds at first, then microseconds
/// a stack), so only for reports; safe from any thread.
final class Symbolicator: Sendable {
  static let shared = Symbolicator()

  private struct State {
    var images = PlatformImages()
    /// What each address is: the stacks of a report share most of theirs.
    var known: [UInt: [NamedFrame]] = [:]
  }

  private let state = Guarded(State())

  /// The frames of a stack as a report shows them: the tracker's own are left out, and, for an accessor
  /// that the compiler wrote, so is it.
  func frames(_ addresses: [UInt], isAccessor: Bool) -> [StackFrame] {
    let named = named(addresses)
    let users = named.drop { Self.isTrackers($0.symbol) }
    let shown = isAccessor ? users.drop { Self.isCompilers($0.frame) } : users
    return shown.map(\.frame)
  }

  /// The property that an accessor which the compiler wrote belongs to: `Cache.entries`.
  func accessor(in addresses: [UInt]) -> String? {
    let first = named(addresses).first { !Self.isTrackers($0.symbol) }
    guard let frame = first?.frame, Self.isCompilers(frame), let name = frame.function else {
      return nil
    }
    for suffix in [".getter", ".setter", ".modify", ".read"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return nil
  }

  /// Every frame, with its mangled symbol.
  func named(_ addresses: [UInt]) -> [NamedFrame] {
    state.withLock { state in
      let unknown = Array(Set(addresses.filter { state.known[$0] == nil }))
      if !unknown.isEmpty {
        for address in unknown { state.known[address] = [] }
        for named in state.images.frames(unknown) {
          state.known[named.frame.address, default: []].append(named)
        }
      }
      return addresses.flatMap { state.known[$0] ?? [] }
    }
  }

  private static func isTrackers(_ symbol: String?) -> Bool {
    guard let symbol else { return false }
    return symbol.hasPrefix("$s9Interlock") || symbol.hasPrefix("interlock_")
  }

  private static func isCompilers(_ frame: StackFrame) -> Bool {
    frame.file == nil || frame.line == 0 || frame.file?.hasSuffix("<compiler-generated>") == true
  }
}

/// A frame and the symbol that its name comes from.
struct NamedFrame {
  var frame: StackFrame
  var symbol: String?
}

/// Turns return addresses of this process into functions and lines, innermost first.
///
/// Where a function was inlined into another, one address gives several frames. Safe from any thread.
package func symbolicate(_ addresses: [UInt]) -> [StackFrame] {
  Symbolicator.shared.named(addresses).map(\.frame)
}
