import Dispatch
import Testing

@testable import Interlock

/// The owner of a section is the task, or else the thread.
struct OwnerTests {
  init() { Findings.collect() }

  @Test("a section held across an await that resumes on another thread is still the task's")
  func acrossAwait() async {
    let section = Section("owner.await")
    let executor = FreshThreads(stay: true)
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
      // A child task that its parent awaits may run on the parent's own thread.
      await withTaskGroup(of: Void.self) { group in
        group.addTask { section.read {} }
      }
    }
    let found = Findings.conflicts(on: "owner.tasks")
    #expect(found.count == 1)
    #expect(found.first?.first.task != nil)
    #expect(found.first?.second.task != nil)
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
    let readers = 500
    let inside = TaskBarrier(parties: readers + 1)
    let leave = TaskBarrier(parties: readers + 1)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<readers {
        group.addTask {
          await section.read {
            await inside.wait()
            await leave.wait()
          }
        }
      }
      await inside.wait()
      section.read {}
      #expect(Findings.conflicts(on: "owner.many").isEmpty)
      section.write {}
      #expect(Findings.conflicts(on: "owner.many").map(\.count) == [readers])
      await leave.wait()
    }
    section.write {}
    #expect(Findings.conflicts(on: "owner.many").map(\.count) == [readers], "all have left")
    #expect(Findings.misuses(on: "owner.many").isEmpty)
  }
}
