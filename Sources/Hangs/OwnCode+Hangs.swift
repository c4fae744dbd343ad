import CInterlockAnalysis
import CInterlockHarness
package import Interlock
import ProcessInspection

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let hangs: Set<OwnCode> = processInspection.union([
    OwnCode(.inspection), OwnCode(.interposition, header: interlock_analysis_header()),
    OwnCode(.harness, header: interlock_harness_header()),
  ])
}
