package import Interlock
import Hangs

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let hangReports: Set<OwnCode> = hangs.union([OwnCode(.inspection)])
}
