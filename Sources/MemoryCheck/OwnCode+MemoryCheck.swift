import CInterlockMemory
package import Interlock
import ProcessInspection

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let memoryCheck: Set<OwnCode> = processInspection.union([
    OwnCode(.library), OwnCode(.interposition, header: interlock_memory_header()),
  ])
}
