package import Interlock
import StressRunner

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let reports: Set<OwnCode> = stressRunner.union([OwnCode(.library)])
}
