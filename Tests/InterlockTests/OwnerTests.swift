import Dispatch
import Testing

@testable import Interlock

/// Who an owner is: the task, else the thread.
struct OwnerTests {
  init() { Findings.collect() }

  /// Resumes each job on a thread of its own: whoever awaits comes back elsewhere. The threads stay until
  /// `finish`, so that no two of them have one number.
  private final class FreshThreads: TaskExecutor {
    private let threads = Guarded<[JoinableThread]>([])
    private let suspended = Guarded<CheckedContinuation<Void, Never>?>(nil)
    private let end = Gate()

    /// Suspends the task; it is resumed when its thread has left it, so on another thread for certain.
    func changeThread() async {
      await withCheckedContinuation { continuation in
        suspended.withLock { $0 = continuation }
      }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      // Made under the lock: the task may be over before this function is.
      threads.withLock { [suspended, end] threads in
        threads.append(
          JoinableThread {
            job.runSynchronously(on: executor)
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

  @Test("a section held across an await that resumes on another thread is still the task's")
  func acrossAwait() async {
    let section = Section("owner.await")
    let executor = FreshThreads()
    let threads = await Task(executorPreference: executor) {
      let before = threadNumber()
      section.begin(.noReadWrite)
      await executor.changeThread()
      let after = threadNumber()
      section.write {}
      section.end(.noReadWrite)
      return (before, after)
    }.value
    executor.finish()
    #expect(threads.0 != threads.1, "the test shows nothing unless the thread changed")
    #expect(Findings.conflicts(on: "owner.await").isEmpty)
    #expect(Findings.misuses(on: "owner.await").isEmpty)
    await section.write { await Task.yield() }
    #expect(Findings.misuses(on: "owner.await").isEmpty)
  }

  @Test("two tasks are two owners, on whatever thread they run")
  func twoTasks() async {
    let section = Section("owner.tasks")
    await section.write {
      // A child that its parent awaits may run on the parent's own thread.
      await withTaskGroup(of: Void.self) { group in
        group.addTask { section.read {} }
      }
    }
    let found = Findings.conflicts(on: "owner.tasks")
    #expect(found.count == 1)
    #expect(found.first?.first.task != nil)
    #expect(found.first?.second.task != found.first?.first.task)
  }

  @Test("a task's synchronous call into a queue is still the task")
  func queueSync() async {
    let section = Section("owner.sync")
    let queue = DispatchQueue(label: "owner.queue")
    await Task {
      section.write { queue.sync { section.write {} } }
    }.value
    #expect(Findings.conflicts(on: "owner.sync").isEmpty)
  }

  @Test("many tasks hold sections across suspensions, more than a thread has records at first")
  func manySuspended() async {
    let section = Section("owner.many")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask {
          await section.read { await Task.yield() }
        }
      }
    }
    #expect(Findings.conflicts(on: "owner.many").isEmpty)
    section.write {}
    #expect(Findings.conflicts(on: "owner.many").isEmpty, "all have left")
  }
}
