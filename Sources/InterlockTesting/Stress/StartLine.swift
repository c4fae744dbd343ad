import CInterlockEvents
import Foundation
import Synchronization

/// Releases the callers of a round together.
///
/// A waiting caller blocks: on a loaded machine, a thread that polls and yields loses its processor
/// for a time slice each time. Once all have arrived, the first callers to run spin for a few
/// microseconds, until as many run as there are processors. Otherwise the last caller to arrive
/// would finish its body before the others wake up.
final class StartLine: Sendable {
  private static let longestSpin = Duration.microseconds(50)

  private let condition = NSCondition()
  // Accessed only under the lock of `condition`.
  nonisolated(unsafe) private var waiting = 0
  /// The number of callers of the round that have left the line.
  private let running = Atomic(0)

  /// Prepares the next round. No caller may be waiting.
  func reset() {
    // Relaxed: the callers of the round begin after this.
    running.store(0, ordering: .relaxed)
  }

  /// Waits until all callers of the round have arrived.
  ///
  /// Hides the thread: the line must not order what callers do before and after it, and a hang
  /// report must not show it as a wait.
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
    // Relaxed: the count orders nothing.
    running.add(1, ordering: .relaxed)
    spin(Self.longestSpin) { running.load(ordering: .relaxed) < together }
  }
}

/// Spins for a time, or until the condition no longer holds.
func spin(_ time: Duration, while condition: () -> Bool = { true }) {
  let end = ContinuousClock.now + time
  while condition(), .now < end {}
}
