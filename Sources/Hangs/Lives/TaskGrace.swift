import CInterlockEvents
import Foundation
import ProcessInspection

/// Waits for tasks to end, for many scopes at once. The waiting uses one separate thread, which
/// exists while a scope waits: a pool thread must not wait for tasks that may need it.
package final class TaskGrace: Sendable {
  private struct Wait {
    var due: Double
    var isOver: @Sendable () -> Bool
    var resume: @Sendable () -> Void
  }

  // `Mutex` cannot be used: ThreadSanitizer reports a contended one as a race.
  private static let lock = NSLock()
  // Accessed only under `lock`.
  nonisolated(unsafe) private static var waits: [Wait] = []
  nonisolated(unsafe) private static var hasThread = false

  /// Waits, without blocking the calling thread.
  ///
  /// - Parameters:
  ///   - seconds: The longest time to wait.
  ///   - isOver: Returns true to end the wait. Called on another thread, and again after tasks
  ///     have ended.
  package static func wait(
    atMost seconds: Double, until isOver: @escaping @Sendable () -> Bool
  ) async {
    if isOver() || seconds <= 0 { return }
    await withCheckedContinuation { continuation in
      add(Wait(due: Platform.now + seconds, isOver: isOver) { continuation.resume() })
    }
  }

  /// Like `wait`, but blocks the calling thread.
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
      // Hide the creation: the new thread does not belong to the test that waits.
      interlock_events_hide_thread(true)
      Thread.detachNewThread { run() }
      interlock_events_hide_thread(false)
    } else {
      interlock_lives_wake()
    }
  }

  private static func run() {
    // Hide the thread: it does not wait for work of the process.
    interlock_events_hide_thread(true)
    while true {
      let seen = interlock_lives_ends()
      let open = lock.withLock { waits }
      let now = Platform.now
      // Call `isOver` outside of the lock: it may read symbols.
      let isOver = open.map { $0.due <= now || $0.isOver() }
      let next = lock.withLock { () -> Double? in
        // Keep the waits that were added behind `open` meanwhile.
        let later = zip(open, isOver).filter { !$0.1 }.map(\.0) + waits.dropFirst(open.count)
        waits = later
        if later.isEmpty { hasThread = false }
        return later.map(\.due).min()
      }
      // Show `resume` to the events: it may enqueue a task.
      interlock_events_hide_thread(false)
      for (wait, isOver) in zip(open, isOver) where isOver { wait.resume() }
      interlock_events_hide_thread(true)
      guard let next else { return }
      interlock_lives_wait(seen, UInt64(next * 1e9))
    }
  }
}
