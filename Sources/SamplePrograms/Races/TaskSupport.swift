import Foundation

/// Sleeps for longer than a section takes, so that later sections do not overlap earlier ones.
/// Blocks the thread, as no task should, because an `await` would order the sections.
func letTimePass() { Thread.sleep(forTimeInterval: 0.1) }

/// Runs `body` as a task and waits for its end.
func inTask(_ body: @escaping @Sendable () async -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Task {
    await body()
    ended.signal()
  }
  ended.wait()
}

/// Runs two tasks and waits for both; each is created before either runs.
func inTasks(
  _ first: @escaping @Sendable () async -> Void, and second: @escaping @Sendable () async -> Void
) {
  let ended = DispatchSemaphore(value: 0)
  for body in [first, second] {
    Task.detached {
      await body()
      ended.signal()
    }
  }
  for _ in 0..<2 { ended.wait() }
}

/// Adds to a number on the default executor.
actor Keeper {
  private let shared: Shared
  private(set) var count = 0

  init(_ shared: Shared) { self.shared = shared }

  func add(_ number: Int) {
    shared.set(shared.get() + number)
    count += 1
  }
}

/// Adds to a number on a Dispatch queue of its own.
actor QueueKeeper {
  private let executor = QueueExecutor()
  private let shared: Shared

  init(_ shared: Shared) { self.shared = shared }

  nonisolated var queue: DispatchQueue { executor.queue }
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func add(_ number: Int) { shared.set(shared.get() + number) }

  /// Keeps its thread afterwards, so that other queues get other threads.
  func addAndStay(_ number: Int) {
    add(number)
    for _ in 0..<3 { letTimePass() }
  }
}

private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "keeper")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Runs tasks on a concurrent queue.
final class ConcurrentExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "tasks", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
