import HangReports
package import Interlock

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let prediction: Set<OwnCode> = hangReports.union([OwnCode(.inspection)])
}
