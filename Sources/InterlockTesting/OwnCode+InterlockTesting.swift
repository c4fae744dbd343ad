import Explorer
package import Interlock
import InterlockWatchdog

extension OwnCode {
  /// This target, and those below it.
  package static let interlockTesting: Set<OwnCode> = interlockWatchdog.union(explorer)
    .union([OwnCode(.harness)])
}
