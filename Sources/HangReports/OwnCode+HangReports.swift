package import Interlock
import Hangs

extension OwnCode {
  /// This target, and those below it.
  package static let hangReports: Set<OwnCode> = hangs.union([OwnCode(.inspection)])
}
