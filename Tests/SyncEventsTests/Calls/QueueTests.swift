import CInterlockEvents
import Dispatch
import Foundation
import Testing

extension SyncEvents {
  /// `DispatchQueue`: asynchronous and synchronous calls, barriers, delays.
  @Suite("Queues")
  struct QueueTests {
    @Test(
      "An asynchronous block is published when it is enqueued, begins and ends, in this order"
    )
    func async() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.async")
      recorder.follow(queue)
      let done = DispatchSemaphore(value: 0)
      let handed = nextLine()
      queue.async { done.signal() }
      done.wait()
      eventually("it has ended") { recorder.words(of: queue).contains("end queue") }
      let events = recorder.events(of: queue).filter { $0.kind != INTERLOCK_EVENT_CREATE }
      #expect(events.map(\.words) == ["enqueue queue", "begin queue", "end queue"])
      #expect(events.map(\.line) == [handed, handed, handed])
      try #require(events.count == 3)
      #expect(events[0].item == events[1].item && events[0].item != 0)
      #expect(events[0].thread != events[1].thread)
    }

    @Test("A serial queue runs its blocks in the order in which they were enqueued")
    func order() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.order")
      recorder.follow(queue)
      nonisolated(unsafe) var order: [Int] = []
      for number in 0..<200 { queue.async { order.append(number) } }
      queue.sync {}
      #expect(order == Array(0..<200))
      let events = recorder.events(of: queue)
      let handed = events.filter { $0.kind == INTERLOCK_EVENT_ENQUEUE }
      let begun = events.filter { $0.kind == INTERLOCK_EVENT_BEGIN && $0.item != 0 }
      #expect(handed.count == 200)
      #expect(begun.count == 200)
      // A later block may have the address of a block that has begun: compare only the first ones.
      #expect(handed.first?.item == begun.first?.item)
    }

    @Test("A synchronous call publishes its wait, its block on the same thread, and its end")
    func sync() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.sync")
      let called = nextLine()
      let result = queue.sync { 42 }
      #expect(result == 42)
      let events = recorder.events(of: queue).filter { $0.kind != INTERLOCK_EVENT_CREATE }
      #expect(
        events.map(\.words) == ["wait queue", "begin queue", "end queue", "acquire queue"])
      #expect(events.map(\.line) == [called, called, called, called])
      #expect(events.allSatisfy { $0.item == 0 })
    }

    @Test("The calls in a synchronous block are published, and its error is passed on")
    func nested() throws {
      struct Failure: Error {}
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let outer = DispatchQueue(label: "test.outer")
      let inner = DispatchQueue(label: "test.inner")
      let semaphore = DispatchSemaphore(value: 1)
      #expect(throws: Failure.self) {
        try outer.sync {
          try inner.sync {
            semaphore.wait()
            throw Failure()
          }
        }
      }
      semaphore.signal()
      let events = recorder.all.filter {
        [outer.address, inner.address, semaphore.address].contains($0.object)
          && $0.kind != INTERLOCK_EVENT_CREATE
      }
      #expect(
        events.map(\.words) == [
          "wait queue", "begin queue", "wait queue", "begin queue",
          "acquire semaphore",
          "end queue", "acquire queue", "end queue", "acquire queue", "release semaphore",
        ])
      #expect(
        events.prefix(4).map(\.object)
          == [outer.address, outer.address, inner.address, inner.address])
    }

    @Test("A barrier runs alone, synchronous or not")
    func barriers() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.barrier", attributes: .concurrent)
      recorder.follow(queue)
      let inside = Overlap()
      for number in 0..<100 {
        if number % 10 == 5 {
          queue.async(flags: .barrier) { inside.run(alone: true) }
        } else {
          queue.async { inside.run(alone: false) }
        }
      }
      let called = nextLine()
      queue.sync(flags: .barrier) { inside.run(alone: true) }
      #expect(inside.violations == 0)
      #expect(inside.total == 101)
      let events = recorder.events(of: queue)
      #expect(events.filter { $0.words == "enqueue queue barrier" }.count == 10)
      #expect(events.filter { $0.words == "enqueue queue" }.count == 90)
      let waits = events.filter { $0.words == "wait queue barrier" }
      #expect(waits.map(\.line) == [called])
      #expect(events.filter { $0.words == "begin queue barrier" }.count == 11)
    }

    @Test("A delayed block is flagged as one, and runs when its time has come")
    func after() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.after")
      recorder.follow(queue)
      let done = DispatchSemaphore(value: 0)
      let start = DispatchTime.now()
      let handed = nextLine()
      queue.asyncAfter(deadline: start + .milliseconds(20)) { done.signal() }
      done.wait()
      #expect(DispatchTime.now() >= start + .milliseconds(20))
      queue.asyncAfter(wallDeadline: .now() + .milliseconds(1)) { done.signal() }
      done.wait()
      eventually("both have ended") {
        recorder.words(of: queue).filter { $0 == "end queue delayed" }.count == 2
      }
      let handedOver = recorder.events(of: queue).filter { $0.kind == INTERLOCK_EVENT_ENQUEUE }
      #expect(handedOver.map(\.words) == ["enqueue queue delayed", "enqueue queue delayed"])
      #expect(handedOver.first?.line == handed)
    }

    @Test("A block for concurrentPerform is called with each number, at the same time")
    func apply() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let called = SharedArray<Int>(count: 100) { 0 }
      let line = nextLine()
      DispatchQueue.concurrentPerform(iterations: 100) { called[$0] += 1 }
      #expect((0..<100).allSatisfy { called[$0] == 1 })
      let waits = recorder.all.filter { $0.words == "wait queue apply" }
      #expect(waits.map(\.line) == [line])
      // Only this thread's blocks: the recorder does not follow other workers.
      let own = recorder.all.filter { $0.words.hasSuffix("queue apply") }
      #expect(own.last?.words == "acquire queue apply")
      #expect(
        own.filter { $0.kind == INTERLOCK_EVENT_BEGIN }.count
          == own.filter { $0.kind == INTERLOCK_EVENT_END }.count)
    }
  }
}
