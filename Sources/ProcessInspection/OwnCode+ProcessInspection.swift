import CInterlockEvents
package import Interlock

extension OwnCode {
  /// This target, and the interposed calls.
  package static let processInspection: Set<OwnCode> = [
    OwnCode(.inspection), OwnCode(.interposition, header: interlock_events_header()),
  ]
}
