internal import CInterlockExplorer
package import Interlock
import Prediction

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let explorer: Set<OwnCode> = prediction.union([
    OwnCode(.harness), OwnCode(.harness, header: interlock_explorer_header()),
  ])
}
