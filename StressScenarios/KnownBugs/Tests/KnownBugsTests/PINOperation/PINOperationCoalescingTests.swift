import Caches
import Dispatch
import Testing

@testable import KnownBugs

@Suite("Operations of one identifier", .timeLimit(.minutes(10)))
struct PINOperationCoalescingTests {
  /// A queue whose only operation waits until the door is opened.
  private func fullQueue(
    _ repairs: PINOperationQueue.Repairs = .version1_2_2
  ) -> (PINOperationQueue, Door) {
    let queue = PINOperationQueue(maxConcurrentOperations: 1, repairs: repairs)
    let door = Door()
    queue.schedule { door.pass() }
    return (queue, door)
  }

  @Test(
    "Operations of one identifier run once, and every completion is called",
    arguments: PINOperationQueueTests.repairs)
  func runOnce(_ repairs: PINOperationQueue.Repairs) async {
    await onThread {
      let (queue, door) = fullQueue(repairs)
      let (runs, completions) = (OperationLog<Int>(), OperationLog<Int>())
      var references: Set<PINOperationQueue.Reference> = []
      for number in 0..<100 {
        references.insert(
          queue.schedule(identifier: "same", completion: { completions.note(number) }) { _ in
            runs.note(number)
          })
        queue.schedule(identifier: "other \(number)", completion: { completions.note(-1) }) { _ in }
      }
      // A request without a completion joins as well.
      queue.schedule(identifier: "same") { _ in runs.note(100) }
      door.open()
      queue.waitUntilAllOperationsAreFinished()
      #expect(references.count == 1)
      #expect(runs.notes == [0])
      #expect(completions.notes.filter { $0 >= 0 } == Array(0..<100))
      #expect(completions.notes.count == 200)
    }
  }

  @Test("Operations of one identifier get the datum combined from all of theirs")
  func data() async {
    await onThread {
      let (queue, door) = fullQueue()
      let log = OperationLog<Int?>()
      for number in [100, 50, 50, 100, 10] {
        queue.schedule(
          identifier: "smallest", data: number,
          coalesce: { old, new in
            [old as? Int, new as? Int].compactMap { $0 }.min()
          }
        ) { log.note($0 as? Int) }
      }
      queue.schedule(identifier: "first", data: 1) { log.note($0 as? Int) }
      queue.schedule(identifier: "first", data: 2) { log.note($0 as? Int) }
      door.open()
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes == [10, 1])
    }
  }

  @Test("Operations of one identifier are two operations once the first was cancelled")
  func afterCancel() async {
    await onThread {
      let (queue, door) = fullQueue()
      let log = OperationLog<String>()
      let first = queue.schedule(identifier: "x", completion: { log.note("first") }) { _ in }
      #expect(queue.cancel(first))
      let second = queue.schedule(identifier: "x", completion: { log.note("second") }) { _ in }
      #expect(first != second)
      door.open()
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes == ["second"])
    }
  }

  @Test(
    "Operations of one identifier join a running one in 1.1.2, and run again in later versions",
    arguments: [([], 1), (.version1_2_2, 2)] as [(PINOperationQueue.Repairs, Int)])
  func whileRunning(_ repairs: PINOperationQueue.Repairs, runs: Int) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 1, repairs: repairs)
      let (started, door) = (DispatchSemaphore(value: 0), Door())
      let log = OperationLog<String>()
      let block: @Sendable ((any Sendable)?) -> Void = { _ in
        log.note("run")
        started.signal()
        door.pass()
      }
      queue.schedule(identifier: "x", completion: { log.note("first") }, block)
      started.wait()
      queue.schedule(identifier: "x", completion: { log.note("second") }, block)
      door.open()
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes.filter { $0 == "run" }.count == runs)
      #expect(log.notes.filter { $0 != "run" } == ["first", "second"])
    }
  }
}
