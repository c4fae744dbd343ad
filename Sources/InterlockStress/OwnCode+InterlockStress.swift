package import Interlock
import LockStrategies
import Reports

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let interlockStress: Set<OwnCode> = Set([OwnCode(.harness)])
    .union(reports).union(lockStrategies)
}
