import CInterlockEvents
import Dispatch
import Foundation
import ProcessInspection
import Testing

extension SyncEvents {
  /// `DispatchWorkItem`, and blocks with their own flags or quality of service.
  @Suite("Work items")
  struct WorkItemTests {
    @Test("A work item is flagged as one when it is enqueued, begins and ends")
    func runs() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.item")
      recorder.follow(queue)
      let ran = SharedArray<Int>(count: 1) { 0 }
      let item = DispatchWorkItem { ran[0] += 1 }
      let handed = nextLine()
      queue.async(execute: item)
      item.wait()
      #expect(ran[0] == 1)
      eventually("it has ended") { recorder.words(of: queue).contains { $0.hasPrefix("end") } }
      let events = recorder.events(of: queue).filter { $0.kind != INTERLOCK_EVENT_CREATE }
      #expect(
        events.map(\.words) == [
          "enqueue queue work-item", "begin queue work-item", "end queue work-item",
        ])
      #expect(events.first?.line == handed)
      try #require(events.count == 3)
      #expect(events[1].other == item.address)
    }

    @Test("A wait for a work item is published with its thread, and whether it timed out")
    func wait() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.wait")
      let gate = DispatchSemaphore(value: 0)
      let item = DispatchWorkItem { gate.wait() }
      queue.async(execute: item)
      let waited = nextLine()
      let result = item.wait(timeout: .now() + .milliseconds(10))
      #expect(result == .timedOut)
      gate.signal()
      item.wait()
      let events = recorder.events(of: item.address).filter {
        $0.objectKind == INTERLOCK_OBJECT_WORK_ITEM
      }
      #expect(
        events.map(\.words) == [
          // A new item may have the address of an earlier one.
          "destroy work-item", "wait work-item limit", "give-up work-item", "wait work-item",
          "acquire work-item",
        ])
      #expect(events.dropFirst().first?.line == waited)
    }

    @Test("A cancelled work item does not run, and is no longer queued")
    func cancelled() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.cancel")
      recorder.follow(queue)
      let ran = SharedArray<Int>(count: 1) { 0 }
      let item = DispatchWorkItem { ran[0] += 1 }
      queue.suspend()
      queue.async(execute: item)
      item.cancel()
      #expect(item.isCancelled)
      queue.resume()
      queue.sync {}
      #expect(ran[0] == 0)
      let words = recorder.words(of: queue)
      #expect(words.contains("cancel queue"))
      #expect(!words.contains("begin queue work-item"))
    }

    @Test("A work item cancelled before it is enqueued does not stay queued")
    func cancelledBefore() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.cancelled-before")
      recorder.follow(queue)
      let ran = SharedArray<Int>(count: 1) { 0 }
      let item = DispatchWorkItem { ran[0] += 1 }
      item.cancel()
      queue.async(execute: item)
      queue.sync {}
      #expect(ran[0] == 0)
      let events = recorder.events(of: queue)
      let handed = events.filter { $0.kind == INTERLOCK_EVENT_ENQUEUE }
      let gone = events.filter {
        $0.item != 0 && ($0.kind == INTERLOCK_EVENT_BEGIN || $0.kind == INTERLOCK_EVENT_CANCEL)
      }
      #expect(handed.count == gone.count)
    }

    @Test("A work item keeps its barrier and its quality of service", arguments: [false, true])
    func flags(inGroup: Bool) throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.flags", attributes: .concurrent)
      recorder.follow(queue)
      let group = DispatchGroup()
      let inside = Overlap()
      for number in 0..<100 {
        let alone = number % 10 == 5
        let item = DispatchWorkItem(flags: alone ? .barrier : []) { inside.run(alone: alone) }
        if inGroup {
          queue.async(group: group, execute: item)
        } else {
          queue.async(execute: item)
        }
      }
      // A group or a quality of service turns a block into a work item.
      queue.async(group: group, qos: .utility, flags: [.barrier, .enforceQoS]) {
        inside.run(alone: true)
      }
      group.wait()
      queue.sync(flags: .barrier) {}
      #expect(inside.violations == 0)
      #expect(inside.total == 101)
      let words = recorder.words(of: queue)
      #expect(words.filter { $0 == "enqueue queue barrier work-item" }.count == 11)
      #expect(words.filter { $0 == "enqueue queue work-item" }.count == 90)
      #expect(words.filter { $0 == "begin queue barrier work-item" }.count == 11)
      let item = DispatchWorkItem(flags: .barrier) {}
      queue.sync(execute: item)
      #expect(recorder.words(of: queue).contains("wait queue barrier work-item"))
    }

    /// The name of the worker that runs a block with a quality of service, which shows its pool.
    private static func worker(on queue: DispatchQueue, qos: DispatchQoS) -> String {
      let name = SharedArray<String>(count: 1) { "" }
      let item = DispatchWorkItem(qos: qos, flags: .enforceQoS) {
        let own = Platform.thisThread
        name[0] = Platform.threads(of: getpid()).first { $0.id == own }?.name ?? ""
      }
      queue.async(execute: item)
      item.wait()
      return name[0]
    }

    @Test("A work item runs in the pool in which it runs without a reader")
    func qualityOfService() throws {
      let services: [DispatchQoS] = [.background, .utility, .default, .userInitiated]
      let unseen = services.map { Self.worker(on: .global(), qos: $0) }
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let seen = services.map { Self.worker(on: .global(), qos: $0) }
      #expect(seen == unseen)
    }

    @Test("A work item runs synchronously on the calling thread, and may run several times")
    func synchronous() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.sync-item")
      recorder.follow(queue)
      let ran = SharedArray<Int>(count: 1) { 0 }
      let item = DispatchWorkItem { ran[0] += 1 }
      queue.sync(execute: item)
      queue.async(execute: item)
      queue.async(execute: item)
      queue.sync {}
      item.perform()
      #expect(ran[0] == 4)
      let events = recorder.events(of: queue)
      let first = events.filter { $0.kind == INTERLOCK_EVENT_BEGIN }.first
      #expect(first?.other == item.address)
      #expect(first?.item == 0)
      #expect(events.filter { $0.words == "enqueue queue work-item" }.count == 2)
      #expect(events.filter { $0.words == "begin queue work-item" && $0.item != 0 }.count == 2)
    }

    @Test("A work item runs later, after another one, or when a group is empty")
    func later() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let queue = DispatchQueue(label: "test.later")
      recorder.follow(queue)
      let done = DispatchSemaphore(value: 0)
      let item = DispatchWorkItem { done.signal() }
      queue.asyncAfter(deadline: .now() + .milliseconds(5), execute: item)
      done.wait()
      let first = DispatchWorkItem {}
      first.notify(queue: queue) { done.signal() }
      queue.async(execute: first)
      done.wait()
      let group = DispatchGroup()
      group.enter()
      group.notify(queue: queue, work: DispatchWorkItem { done.signal() })
      group.leave()
      done.wait()
      let cancelled = DispatchWorkItem { done.signal() }
      queue.asyncAfter(deadline: .now() + .milliseconds(5), execute: cancelled)
      cancelled.cancel()
      queue.asyncAfter(deadline: .now() + .milliseconds(10)) { done.signal() }
      done.wait()
      #expect(done.wait(timeout: .now()) == .timedOut)
    }
  }
}
