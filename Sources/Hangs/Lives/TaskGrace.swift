import CInterlockEvents
import Foundation
import ProcessInspection

/// Waits for the ends of tasks, for many scopes at once, on one thread, which lives as long as a
/// scope waits: a thread of the pool must not wait for tasks that may need it.
package final class TaskGrace: Sendable {
  private struct Wait {
    var due: Double
    var isOver: @Sendable () -> Bool
    var resume: @Sendable () -> Void
  }

  // Not `Mutex`: ThreadSanitizer reports a contended one as a race.
  private static let lock = NSLock()
  // Accessed only under that lock.
  nonisolated(unsafe) private static var waits: [Wait] = []
  nonisolated(unsafe) private static var hasThread = false

  /// Waits, without blocking the calling thread.
  ///
  /// - Parameters:
  ///   - seconds: The longest time to wait.
  ///   - isOver: Whether to end the wait; called again after tasks have ended, on another thread.
  package static func wait(
    atMost seconds: Double, until isOver: @escaping @Sendable () -> Bool
  ) async {
    if isOver() || seconds <= 0 { return }
    await withCheckedContinuation { continuation in
      add(Wait(due: Platform.now + seconds, isOver: isOver) { continuation.resume() })
    }
  }

  /// As `wait`, and blocks the calling thread.
  package static func waitBlocking(
    atMost seconds: Double, until isOver: @escaping @Sendable () -> Bool
  ) {
    if isOver() || seconds <= 0 { return }
    let ended = DispatchSemaphore(value: 0)
    add(Wait(due: Platform.now + seconds, isOver: isOver) { ended.signal() })
    ended.wait()
  }

  private static func add(_ wait: Wait) {
    let starts = lock.withLock {
      waits.append(wait)
      defer { hasThread = true }
      return !hasThread
    }
    if starts {
      // The thread is none of the test that waits.
      interlock_events_hide_thread(true)
      Thread.detachNewThread { run() }
      interlock_events_hide_thread(false)
    } else {
      interlock_lives_wake()
    }
  }

  private static func run() {
    // The thread waits for no work of the process.
    interlock_events_hide_thread(true)
    while true {
      let seen = interlock_lives_ends()
      let open = lock.withLock { waits }
      let now = Platform.now
      // Not under the lock: symbols may be read.
      let isOver = open.map { $0.due <= now || $0.isOver() }
      let next = lock.withLock { () -> Double? in
        // New ones were added behind these.
        let later = zip(open, isOver).filter { !$0.1 }.map(\.0) + waits.dropFirst(open.count)
        waits = later
        if later.isEmpty { hasThread = false }
        return later.map(\.due).min()
      }
      // Seen by the events: it may enqueue a task.
      interlock_events_hide_thread(false)
      for (wait, isOver) in zip(open, isOver) where isOver { wait.resume() }
      interlock_events_hide_thread(true)
      guard let next else { return }
      interlock_lives_wait(seen, UInt64(next * 1e9))
    }
  }
}
