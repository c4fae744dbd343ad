package import Interlock
import Prediction

extension OwnCode {
  /// This target, and those below it.
  package static let interlockWatchdog: Set<OwnCode> = prediction.union([OwnCode(.library)])
}
