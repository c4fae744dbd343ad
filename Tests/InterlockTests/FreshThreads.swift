import Testing

@testable import Interlock
@testable import SectionTable

/// Runs each job on a new thread, so that a task resumes on another thread after each `await`.
final class FreshThreads: TaskExecutor {
  private let stay: Bool
  private let threads = Guarded<[JoinableThread]>([])
  private let suspended = Guarded<CheckedContinuation<Void, Never>?>(nil)
  private let end = Gate()

  /// - Parameter stay: True if the threads live until `finish`, so that no two have one number;
  ///   otherwise a thread has exited before the task continues on another one.
  init(stay: Bool) { self.stay = stay }

  /// Suspends the task, and resumes it after its thread has left it: always on another thread.
  func changeThread() async {
    await withCheckedContinuation { continuation in
      suspended.withLock { $0 = continuation }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    // Made under the lock, because the task may end before this function returns.
    threads.withLock { [stay, suspended, end] threads in
      threads.append(
        JoinableThread {
          if stay {
            job.runSynchronously(on: executor)
          } else {
            onThread { job.runSynchronously(on: executor) }
          }
          suspended.withLock { $0.take() }?.resume()
          end.pass()
        })
    }
  }

  func finish() {
    end.open()
    for thread in threads.withLock({ $0 }) { thread.join() }
  }
}
