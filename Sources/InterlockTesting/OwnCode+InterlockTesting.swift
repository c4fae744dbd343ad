import Explorer
package import Interlock
import InterlockWatchdog

extension OwnCode {
  /// The code of this target and of the targets it depends on.
  package static let interlockTesting: Set<OwnCode> = interlockWatchdog.union(explorer)
    .union([OwnCode(.harness)])
}
