import Caches
import Dispatch
import Testing

@testable import KnownBugs

@Suite("A PINOperationGroup", .timeLimit(.minutes(10)))
struct PINOperationGroupTests {
  @Test(
    "A PINOperationGroup calls its completion once, after all operations", arguments: [false, true])
  func completion(repaired: Bool) async {
    await onThread {
      let group = PINOperationGroup(
        queue: PINOperationQueue(maxConcurrentOperations: 5), repaired: repaired)
      let (log, completed) = (OperationLog<Int>(), Door())
      for number in 0..<100 {
        let reference = group.addOperation { log.note(number) }
        #expect(reference != nil)
      }
      group.setCompletion {
        #expect(log.note(-1) == 101)
        completed.open()
      }
      group.start()
      completed.pass()
      #expect(log.notes.sorted() == Array(-1..<100))
    }
  }

  @Test(
    "A PINOperationGroup waits for its operations, and then has called the completion",
    arguments: [false, true])
  func waiting(repaired: Bool) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 5)
      let (log, completions) = (OperationLog<Int>(), OperationLog<Void>())
      let group = PINOperationGroup(queue: queue, repaired: repaired)
      for number in 0..<100 { group.addOperation(priority: .low) { log.note(number) } }
      let completed = Door()
      group.setCompletion {
        completions.note(())
        completed.open()
      }
      group.waitUntilComplete()
      #expect(log.notes.count == 100)
      // On this thread or on a global queue.
      completed.pass()
      #expect(completions.notes.count == 1)
    }
  }

  @Test("A PINOperationGroup runs nothing more after a cancel, and never the completion")
  func cancelling() async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 1)
      let (started, door, log) = (Door(), Door(), OperationLog<Int>())
      let group = PINOperationGroup(queue: queue)
      group.addOperation {
        started.open()
        door.pass()
        log.note(0)
      }
      for number in 1..<100 { group.addOperation { log.note(number) } }
      group.setCompletion { log.note(-1) }
      group.start()
      started.pass()
      group.cancel()
      let refused = group.addOperation { log.note(100) }
      #expect(refused == nil)
      door.open()
      group.waitUntilComplete()
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes == [0])
    }
  }

  @Test(
    "A started PINOperationGroup takes an operation and never runs it; repaired, it refuses"
  )
  func addingLate() async {
    await onThread {
      for repaired in [false, true] {
        let queue = PINOperationQueue(maxConcurrentOperations: 2)
        let group = PINOperationGroup(queue: queue, repaired: repaired)
        let log = OperationLog<Int>()
        group.addOperation { log.note(1) }
        group.start()
        let late = group.addOperation { log.note(2) }
        #expect((late == nil) == repaired)
        group.waitUntilComplete()
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.notes == [1])
      }
    }
  }
}
