import HangReports
package import Interlock

extension OwnCode {
  /// This target, and those below it.
  package static let prediction: Set<OwnCode> = hangReports.union([OwnCode(.inspection)])
}
