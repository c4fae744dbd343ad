internal import CInterlockExplorer
package import Interlock
import Prediction

extension OwnCode {
  /// This target, and those below it.
  package static let explorer: Set<OwnCode> = prediction.union([
    OwnCode(.harness), OwnCode(.harness, header: interlock_explorer_header()),
  ])
}
