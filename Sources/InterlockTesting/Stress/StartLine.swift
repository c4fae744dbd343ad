import CInterlockEvents
import Foundation
import Synchronization

/// Releases the callers of a round together.
///
/// A caller that waits blocks: on a machine with other load, a thread that polls and yields loses
/// its processor for a time slice at each turn. Once all have arrived, the first callers to run
/// wait, for some microseconds, until as many run as there are processors: the last to arrive would
/// otherwise be through its body before the others have woken.
final class StartLine: Sendable {
  private static let longestSpin = Duration.microseconds(50)

  private let condition = NSCondition()
  // Accessed only under the condition's lock.
  nonisolated(unsafe) private var waiting = 0
  /// How many callers of the round have left the line.
  private let running = Atomic(0)

  /// Prepares the next round. No caller is at the line.
  func reset() {
    // Relaxed: the callers of the round begin after this.
    running.store(0, ordering: .relaxed)
  }

  /// Waits until all callers of the round are here.
  ///
  /// The thread is hidden: the line must order nothing that callers do before or after it, and is
  /// no wait that a hang's report should show.
  func wait(for callers: Int) {
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    condition.lock()
    waiting += 1
    if waiting % callers == 0 {
      condition.broadcast()
    } else {
      let round = waiting / callers
      while waiting / callers == round { condition.wait() }
    }
    condition.unlock()
    let together = min(callers, ProcessInfo.processInfo.activeProcessorCount)
    // Relaxed: a number that orders nothing.
    running.add(1, ordering: .relaxed)
    spin(Self.longestSpin) { running.load(ordering: .relaxed) < together }
  }
}

/// Keeps the processor for a time, or until a condition no longer holds.
func spin(_ time: Duration, while condition: () -> Bool = { true }) {
  let end = ContinuousClock.now + time
  while condition(), .now < end {}
}
