import CInterlockAnalysis
import CInterlockHarness
package import Interlock
import WaitForGraph

extension OwnCode {
  /// This target, and those below it.
  package static let hangDetection: Set<OwnCode> = waitForGraph.union([
    OwnCode(.inspection), OwnCode(.interposition, header: interlock_analysis_header()),
    OwnCode(.harness, header: interlock_harness_header()),
  ])
}
