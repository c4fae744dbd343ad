import CInterlockAnalysis
import Foundation
package import Interlock

/// Code that synchronises by its own instructions, which no call shows: atomics, and `Mutex`
/// without contention.
package enum UncontrolledCode {
  /// The first such place in a module's functions, or in those of a module that its code can come
  /// to: a line for a report; `nil` if there is none. This package's own modules do not count.
  ///
  /// Functions of C are not judged. The first call for a module takes some tenths of a second.
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
