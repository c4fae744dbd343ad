import CInterlockEvents
import Dispatch
import Foundation

/// Runs the jobs of one caller's task on a separate thread, which belongs to no pool.
final class CallerThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var hasEnded = false
  }

  private let condition = NSCondition()
  // Accessed only under the lock of `condition`.
  nonisolated(unsafe) private var state = State()

  /// Starts the thread; it runs until `end`.
  init(_ index: Int) {
    let thread = Thread { [self] in
      Thread.current.name = "caller \(index)"
      while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
    thread.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    let hasEnded = state.hasEnded
    if !hasEnded { state.jobs.append(job) }
    condition.signal()
    condition.unlock()
    guard hasEnded else { return }
    // A job after the end of the stress, from a child task that the body has kept, runs on
    // Dispatch.
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Ends the thread once it has run its jobs.
  func end() {
    condition.lock()
    state.hasEnded = true
    condition.signal()
    condition.unlock()
  }

  /// Returns the next job; `nil` at the end. Hides the thread, so that a hang report does not show
  /// an idle caller as waiting.
  private func next() -> UnownedJob? {
    interlock_events_hide_thread(true)
    defer { interlock_events_hide_thread(false) }
    condition.lock()
    defer { condition.unlock() }
    while state.jobs.isEmpty, !state.hasEnded { condition.wait() }
    return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
  }
}

/// Runs the jobs of all callers' tasks as blocks of one concurrent queue.
final class CallerQueue: TaskExecutor {
  private let queue = DispatchQueue(label: "interlock.callers", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Holds the blocks back, so that all callers are enqueued before the first begins.
  func hold() { queue.suspend() }

  /// Lets the blocks begin.
  func release() { queue.resume() }
}
