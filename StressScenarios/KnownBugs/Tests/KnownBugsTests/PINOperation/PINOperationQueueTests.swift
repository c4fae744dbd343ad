import Caches
import Dispatch
import Testing

@testable import KnownBugs

/// The checks of PINOperation's own tests, without their sleeps.
@Suite("A PINOperationQueue", .timeLimit(.minutes(10)))
struct PINOperationQueueTests {
  static let repairs: [PINOperationQueue.Repairs] = [[], .version1_2_2, .all]

  @Test("A PINOperationQueue runs every operation, and waits for all of them", arguments: repairs)
  func runsAll(_ repairs: PINOperationQueue.Repairs) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 5, repairs: repairs)
      let log = OperationLog<Int>()
      for number in 0..<100 { queue.schedule { log.note(number) } }
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes.sorted() == Array(0..<100))
    }
  }

  @Test("A PINOperationQueue waits for operations that operations schedule", arguments: repairs)
  func nested(_ repairs: PINOperationQueue.Repairs) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 5, repairs: repairs)
      let log = OperationLog<Int>()
      for number in 0..<100 {
        queue.schedule {
          log.note(number)
          queue.schedule(priority: .high) { log.note(100 + number) }
        }
      }
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes.sorted() == Array(0..<200))
    }
  }

  @Test("A PINOperationQueue releases operations that have run")
  func releases() async {
    final class Token: Sendable {
      let gone: DispatchGroup
      init(_ gone: DispatchGroup) {
        self.gone = gone
        gone.enter()
      }
      deinit { gone.leave() }
    }
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 5)
      let gone = DispatchGroup()
      for _ in 0..<100 {
        let token = Token(gone)
        queue.schedule { _ = token }
      }
      gone.wait()
      withExtendedLifetime(queue) {}
    }
  }

  @Test(
    "A PINOperationQueue runs its maximum of operations at once, and never more", arguments: 1...3)
  func maximum(_ maximum: Int) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: maximum)
      check(queue, maximum)
    }
  }

  @Test("A PINOperationQueue follows a maximum that changes", arguments: repairs)
  func changingMaximum(_ repairs: PINOperationQueue.Repairs) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 2, repairs: repairs)
      check(queue, 2)
      for maximum in [3, 2] {
        queue.maxConcurrentOperations = maximum
        #expect(queue.maxConcurrentOperations == maximum)
        // The change is queued behind operations that were scheduled before it.
        queue.semaphoreQueue.sync {}
        check(queue, maximum)
      }
    }
  }

  /// Makes `maximum` operations overlap, and counts how many overlap in 100 more.
  private func check(_ queue: PINOperationQueue, _ maximum: Int) {
    let occupancy = Occupancy()
    let meeting = Rendezvous(of: maximum)
    for number in 0..<maximum + 100 {
      queue.schedule {
        occupancy.enter()
        if number < maximum { meeting.meet() }
        occupancy.leave()
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(occupancy.highest == maximum)
  }

  /// The order in which a queue of two runs what is scheduled by `schedule` while it is full.
  private func order(
    maximum: Int = 2, _ schedule: (PINOperationQueue, OperationLog<String>) -> Void
  ) -> [String] {
    let queue = PINOperationQueue(maxConcurrentOperations: maximum)
    let (serial, concurrent) = (Door(), Door())
    let (held, log) = (DispatchGroup(), OperationLog<String>())
    // The first goes to the serial queue, and the second to the concurrent one.
    for door in [serial, concurrent].prefix(maximum) {
      held.enter()
      queue.schedule {
        held.leave()
        door.pass()
      }
      held.wait()
    }
    schedule(queue, log)
    if maximum == 1 {
      serial.open()
      queue.waitUntilAllOperationsAreFinished()
      return log.notes
    }
    let done = Door()
    queue.schedule(priority: .low) { done.open() }
    concurrent.open()
    done.pass()
    serial.open()
    queue.waitUntilAllOperationsAreFinished()
    return log.notes
  }

  @Test("A PINOperationQueue starts the highest priority first on the concurrent queue")
  func priorities() async {
    await onThread {
      let order = order { queue, log in
        for (priority, name) in [
          (.low, "low"), (.default, "default"), (.high, "high"),
        ] as [(PINOperationQueue.Priority, String)] {
          for number in 1...2 {
            queue.schedule(priority: priority) { log.note("\(name) \(number)") }
          }
        }
      }
      #expect(order == ["high 1", "high 2", "default 1", "default 2", "low 1", "low 2"])
    }
  }

  @Test("A PINOperationQueue moves an operation whose priority is changed")
  func changingPriority() async {
    await onThread {
      let order = order { queue, log in
        queue.schedule { log.note("default") }
        let late = queue.schedule(priority: .low) { log.note("raised") }
        let early = queue.schedule(priority: .high) { log.note("lowered") }
        queue.setPriority(.high, of: late)
        queue.setPriority(.low, of: early)
      }
      #expect(order == ["raised", "default", "lowered"])
    }
  }

  @Test("A PINOperationQueue with a maximum of one runs in the order of scheduling")
  func serial() async {
    await onThread {
      let order = order(maximum: 1) { queue, log in
        queue.schedule(priority: .low) { log.note("low") }
        queue.schedule(priority: .high) { log.note("high") }
      }
      #expect(order == ["low", "high"])
    }
  }

  @Test("A PINOperationQueue runs low priorities while high ones are scheduled for ever")
  func noStarvation() async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 2)
      let low = DispatchGroup()
      let stop = OperationLog<Void>()
      for _ in 0..<3 { feed(queue, until: stop) }
      for _ in 0..<100 {
        low.enter()
        queue.schedule(priority: .low) { low.leave() }
      }
      low.wait()
      stop.note(())
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  private func feed(_ queue: PINOperationQueue, until stop: OperationLog<Void>) {
    queue.schedule(priority: .high) {
      if stop.notes.isEmpty { feed(queue, until: stop) }
    }
  }

  @Test(
    "A PINOperationQueue does not run cancelled operations, and cannot cancel running ones",
    arguments: repairs)
  func cancelling(_ repairs: PINOperationQueue.Repairs) async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 1, repairs: repairs)
      let (started, door) = (Door(), Door())
      let log = OperationLog<String>()
      let running = queue.schedule {
        started.open()
        door.pass()
        log.note("running")
      }
      started.pass()
      let first = queue.schedule { log.note("cancelled") }
      queue.schedule(identifier: "x", completion: { log.note("its completion") }) { _ in
        log.note("cancelled with all")
      }
      #expect(queue.cancel(first))
      #expect(!queue.cancel(first))
      #expect(!queue.cancel(running))
      queue.cancelAll()
      door.open()
      queue.waitUntilAllOperationsAreFinished()
      #expect(log.notes == ["running"])
    }
  }

  @Test("A PINOperationQueue drops references and identifiers of freed operations")
  func forgets() async {
    await onThread {
      let queue = PINOperationQueue(maxConcurrentOperations: 2)
      let first = queue.schedule {}
      for number in 0..<1000 {
        queue.schedule(identifier: "\(number)") { _ in }
        queue.waitUntilAllOperationsAreFinished()
      }
      #expect(!queue.cancel(first))
      #expect(queue.locked { queue.byReference.count + queue.byIdentifier.count } < 500)
    }
  }
}
