import CInterlockAnalysis
import Foundation
package import Interlock

/// Code that synchronises by its own instructions, which no call shows: atomics, and `Mutex`
/// without contention.
package enum UncontrolledCode {
  /// The first such place in a module's functions, or in those of a module that it uses: a line for
  /// a report; `nil` if there is none.
  ///
  /// Functions of C are not read. The first call of the process takes about a tenth of a second.
  package static func place(inModule module: String) -> String? {
    OwnCode.register(OwnCode.prediction)
    return judge.withLock { $0.uncontrolledPlace(in: module) }
  }

  /// Why it cannot be decided whether something orders two accesses; `nil` if it can.
  package static func doubt(about accesses: UnorderedAccesses) -> String? {
    OwnCode.register(OwnCode.prediction)
    return judge.withLock { judge in
      if judge.isInDeinit(accesses.second.addresses) {
        return "the second access is in a deinitialiser"
      }
      return judge.doubt(about: accesses.first.addresses)
        ?? judge.doubt(about: accesses.second.addresses)
    }
  }

  private static let judge = Locked(CodeJudge())

  /// The judge, which reads each function once.
  private final class Locked: @unchecked Sendable {
    // Unchecked: the lock protects the judge.
    private let lock = NSLock()
    private var judge: CodeJudge

    init(_ judge: CodeJudge) { self.judge = judge }

    func withLock<R>(_ body: (inout CodeJudge) -> R) -> R { lock.withLock { body(&judge) } }
  }
}

extension CodeJudge {
  /// The first place of a module, and of those that it uses, where code synchronises by itself.
  mutating func uncontrolledPlace(in module: String) -> String? {
    var seen: Set<String> = []
    return uncontrolledPlace(in: module, besides: &seen)
  }

  private mutating func uncontrolledPlace(
    in module: String, besides seen: inout Set<String>
  ) -> String? {
    guard seen.insert(module).inserted else { return nil }
    for index in functions(of: module) {
      var address: UInt = 0
      switch interlock_locate_in_symbol(index, &address) {
      case INTERLOCK_CODE_PLAIN: continue
      case INTERLOCK_CODE_ATOMIC: return "Mutex or atomics in module \(module)\(Self.line(address))"
      default: return "code of module \(module) that cannot be read\(Self.line(address))"
      }
    }
    // On x86, release stores and acquire loads are plain instructions, but their types are visible.
    if Self.usesSynchronization(module) { return "atomics in module \(module)" }
    for other in modules(usedBy: module) {
      if let place = uncontrolledPlace(in: other, besides: &seen) { return place }
    }
    return nil
  }

  /// ` (File.swift:12)`, or nothing if the line is not known.
  private static func line(_ address: UInt) -> String {
    // As a return address, which is behind its call.
    let frames = Interlock.symbolicate([address + 1])
    guard let frame = frames.first(where: { $0.line ?? 0 > 0 }), let file = frame.file,
      let line = frame.line
    else { return "" }
    return " (\(file.split(separator: "/").last ?? ""):\(line))"
  }
}
