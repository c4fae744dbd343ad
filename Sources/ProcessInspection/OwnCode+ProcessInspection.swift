import CInterlockEvents
package import Interlock

extension OwnCode {
  /// This target, and the calls that it follows.
  package static let processInspection: Set<OwnCode> = [
    OwnCode(.inspection), OwnCode(.interposition, header: interlock_events_header()),
  ]
}
