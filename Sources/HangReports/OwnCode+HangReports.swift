package import Interlock
import WaitForGraph

extension OwnCode {
  /// This target, and those below it.
  package static let hangReports: Set<OwnCode> = waitForGraph.union([OwnCode(.inspection)])
}
