import CInterlockAnalysis
import Foundation
package import Interlock

/// Code that synchronises by its own instructions, without a call: atomics, and an uncontended
/// `Mutex`.
package enum UncontrolledCode {
  /// A report line with the first such place in a module's functions, or in a module that its code
  /// can reach; `nil` if there is none. This package's own modules do not count.
  ///
  /// C functions are not judged. The first call for a module takes some tenths of a second.
  package static func place(inModule module: String) -> String? {
    OwnCode.register(OwnCode.prediction)
    return judge.withLock { $0.uncontrolledPlace(in: module) }
  }

  /// Why it is unknown whether the code orders two accesses; `nil` if that is known.
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

  /// A judge behind a lock. It reads each function once.
  private final class Locked: @unchecked Sendable {
    // Unchecked: the lock protects the judge.
    private let lock = NSLock()
    private var judge: CodeJudge

    init(_ judge: CodeJudge) { self.judge = judge }

    func withLock<R>(_ body: (inout CodeJudge) -> R) -> R { lock.withLock { body(&judge) } }
  }
}
