import CInterlockAnalysis
import CInterlockHarness
package import Interlock
import ProcessInspection

extension OwnCode {
  /// This target, and those below it.
  package static let hangs: Set<OwnCode> = processInspection.union([
    OwnCode(.inspection), OwnCode(.interposition, header: interlock_analysis_header()),
    OwnCode(.harness, header: interlock_harness_header()),
  ])
}
