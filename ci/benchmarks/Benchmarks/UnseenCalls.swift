import CInterlockEvents
import Foundation
import InterlockStress

/// Measures locks, semaphores and queues as in a process that links nothing of Interlock.
enum UnseenCalls {
  /// Runs `body` while the calls of all libraries bypass this executable's interposed definitions.
  ///
  /// Returns the result of `body`, and a line that names the difference to such a process. If a
  /// reader already follows the calls, `body` runs without the bypass.
  static func measure<R>(_ body: () -> R) -> (result: R, difference: String) {
    guard interlock_events_available() == INTERLOCK_EVENTS_ALL else {
      return (body(), "locks cost what they do without Interlock: no call is seen")
    }
    guard interlock_events_bypass(true) else {
      return (body(), "locks cost nanoseconds more than without Interlock: calls are seen")
    }
    let result = body()
    let pair = RealMutex()?.pairs()
    _ = interlock_events_bypass(false)
    let more =
      pair.map { String(format: "%.1f ns more", max(0, $0.interposed - $0.real)) } ?? "more"
    return (
      result,
      "locks of the libraries cost what they cost without Interlock; a mutex pair that this"
        + " executable calls itself takes \(more)"
    )
  }
}
