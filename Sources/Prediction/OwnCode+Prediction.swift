import CInterlockAnalysis
package import Interlock
import WaitForGraph

extension OwnCode {
  /// This target, and those below it.
  package static let prediction: Set<OwnCode> = waitForGraph.union([
    OwnCode(.inspection), OwnCode(.interposition, header: interlock_analysis_header()),
  ])
}
