package import Interlock
import StressRunner

extension OwnCode {
  /// This target, and the targets that it imports.
  package static let reports: Set<OwnCode> = stressRunner.union([OwnCode(.library)])
}
