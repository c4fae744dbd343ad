import Caches
import Dispatch
import Testing

@testable import KnownBugs

/// The queue's bugs and their repairs. Scenarios show those that hang.
@Suite("A PINOperationQueue's repairs", .timeLimit(.minutes(10)))
struct PINOperationRepairTests {
  /// Raises the priority of a running operation, schedules another, and returns how often the first
  /// ran.
  private static func raiseWhileRunning(_ repairs: PINOperationQueue.Repairs) -> Int {
    let queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: repairs)
    let (started, again, door) = (Door(), DispatchSemaphore(value: 0), Door())
    let log = OperationLog<Void>()
    let reference = queue.schedule {
      guard log.note(()) == 1 else {
        again.signal()
        return
      }
      started.open()
      door.pass()
    }
    started.pass()
    queue.setPriority(.high, of: reference)
    queue.schedule { again.signal() }
    // The second run, or the other operation, on the concurrent queue.
    again.wait()
    door.open()
    // As shipped the group is left once too often, and the process traps; so do not wait before.
    if log.notes.count > 1 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 20) }
    queue.waitUntilAllOperationsAreFinished()
    return log.notes.count
  }

  @Test("a new priority runs a running operation again as shipped, which traps")
  func priorityOfRunning() async {
    await #expect(processExitsWith: .failure) {
      _ = PINOperationRepairTests.raiseWhileRunning(.version1_2_2)
    }
    await onThread {
      #expect(Self.raiseWhileRunning(.all) == 1)
    }
  }

  @Test("a lowered maximum traps as shipped when the queue is freed")
  func loweredMaximum() async {
    await #expect(processExitsWith: .failure) {
      PINOperationRepairTests.lowerMaximum(.version1_2_2)
      // The end of its last block frees the queue.
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 20)
    }
    await onThread { Self.lowerMaximum(.all) }
  }

  @Test("a raised maximum takes effect at once, even while the queue is full")
  func raisedMaximum() async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: .all)
      let meeting = Rendezvous(of: 3)
      // As shipped the third operation waits for the second, and the new maximum waits behind it.
      for _ in 0..<3 { queue.schedule { meeting.meet() } }
      queue.maxConcurrentOperations = 3
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  private static func lowerMaximum(_ repairs: PINOperationQueue.Repairs) {
    let queue = PINOperationQueue(maxConcurrentOperations: 3, repairs: repairs)
    queue.maxConcurrentOperations = 2
    for _ in 0..<10 { queue.schedule {} }
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test(
    "an operation may wait for all others, and runs those that wait", arguments: 1...3)
  func waitInside(_ maximum: Int) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: maximum, repairs: .all)
      let log = OperationLog<String>()
      for number in 1...2 {
        queue.schedule {
          for _ in 0..<10 { queue.schedule { log.note("inner") } }
          queue.waitUntilAllOperationsAreFinished()
          // Both schedule theirs before either has waited, so that each also waits for the other's.
          log.note("waited \(number)")
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes.filter { $0 == "inner" }.count == 20)
      #expect(log.notes.filter { $0 != "inner" }.sorted() == ["waited 1", "waited 2"])
    }
  }

  @Test("an operation waits until another one on a different thread has ended")
  func waitsForOthers() async {
    await onThread {
      for _ in 0..<100 {
        let queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: .all)
        let (running, waits) = (Door(), Door())
        let log = OperationLog<String>()
        queue.schedule {
          running.open()
          waits.pass()
          log.note("other")
        }
        running.pass()
        queue.schedule {
          waits.open()
          queue.waitUntilAllOperationsAreFinished()
          log.note("waited")
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.notes == ["other", "waited"])
      }
    }
  }
}
