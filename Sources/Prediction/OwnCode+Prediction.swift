import HangDetection
package import Interlock

extension OwnCode {
  /// This target, and those below it.
  package static let prediction: Set<OwnCode> = hangDetection.union([OwnCode(.inspection)])
}
