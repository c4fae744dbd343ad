import CInterlockMemory
package import Interlock
import ProcessInspection

extension OwnCode {
  /// This target, and the targets that it imports.
  package static let memoryCheck: Set<OwnCode> = processInspection.union([
    OwnCode(.library), OwnCode(.interposition, header: interlock_memory_header()),
  ])
}
