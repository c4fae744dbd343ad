package import Interlock
import StressRunner

extension OwnCode {
  /// This target, and those below it.
  package static let reports: Set<OwnCode> = stressRunner.union([OwnCode(.library)])
}
