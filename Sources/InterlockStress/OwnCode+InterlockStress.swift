package import Interlock
import LockStrategies
import Reports

extension OwnCode {
  /// This target, and those below it.
  package static let interlockStress: Set<OwnCode> = Set([OwnCode(.harness)])
    .union(reports).union(lockStrategies)
}
