package import Interlock
import ProcessInspection

extension OwnCode {
  /// This target, and those below it.
  package static let waitForGraph: Set<OwnCode> = processInspection.union([OwnCode(.inspection)])
}
