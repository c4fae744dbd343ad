package import Interlock
import LockStrategies
import Reports

extension OwnCode {
  /// This target, and the targets that it imports.
  package static let interlockStress: Set<OwnCode> = Set([OwnCode(.harness)])
    .union(reports).union(lockStrategies)
}
