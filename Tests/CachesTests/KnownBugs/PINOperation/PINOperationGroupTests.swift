import Caches
import KnownBugs
import Dispatch
import Testing

@Suite("A PINOperationGroup", .timeLimit(.minutes(10)))
struct PINOperationGroupTests {
  @Test("calls its completion once, after all operations", arguments: [false, true])
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

  @Test("waits for its operations, and has called the completion then", arguments: [false, true])
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
      // Here or on a global queue.
      completed.pass()
      #expect(completions.notes.count == 1)
    }
  }

  @Test("runs nothing more after a cancel, and never the completion")
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

  @Test("takes an operation after the start and never runs it as shipped; repaired, it refuses")
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
