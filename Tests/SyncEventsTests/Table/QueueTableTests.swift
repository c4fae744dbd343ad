import CInterlockAnalysis
import Foundation
import Interlock
import ProcessInspection
import Testing
import Hangs

extension SyncEvents {
  /// The wait table's queues, and the blocks that run and wait on them.
  @Suite("The wait table's queues")
  struct QueueTableTests {
    init() throws { try #require(interlock_waits_start()) }

    /// A queue in a snapshot, once the queue is in the requested state.
    private static func queue(
      _ queue: DispatchQueue, once isSo: (WaitSnapshot.Queue) -> Bool,
      at location: SourceLocation = #_sourceLocation
    ) -> WaitSnapshot.Queue? {
      var found: WaitSnapshot.Queue?
      eventually("'\(queue.label)' is so", at: location) {
        found = TableTests.snapshot().queues.first { $0.id == queue.address && isSo($0) }
        return found != nil
      }
      return found
    }

    @Test("A queue has its label, target and width, and its blocks with their threads and lines")
    func queued() throws {
      let target = DispatchQueue(label: "table.target")
      let queue = DispatchQueue(label: "table.concurrent", attributes: .concurrent, target: target)
      queue.suspend()
      let first = nextLine(#fileID, #line)
      for _ in 0..<3 { queue.async {} }
      let second = nextLine()
      queue.async(flags: .barrier) {}
      let found = try #require(Self.queue(queue) { $0.queued == 4 })
      #expect(found.label == "table.concurrent")
      #expect(found.target == target.address)
      #expect(found.width > 1)
      #expect(found.isSuspended)
      #expect(!found.isRoot && !found.isMain)
      #expect(found.blocks.map(\.count) == [3, 1])
      #expect(found.blocks.map(\.isBarrier) == [false, true])
      #expect(found.blocks.map { TableTests.line($0.place) } == [first, second])
      #expect(found.blocks.map(\.enqueuedBy) == [[Platform.thisThread], [Platform.thisThread]])
      let queues = TableTests.snapshot().queues
      let below = try #require(queues.first { $0.id == target.address })
      #expect(below.width == 1)
      #expect(below.label == "table.target")
      // The target is a pool: for serial queues, the pool that may grow at once.
      let root = try #require(queues.first { $0.id == below.target })
      #expect(root.isRoot && root.isOvercommit)
      queue.resume()
      queue.sync(flags: .barrier) {}
      #expect(!TableTests.snapshot().queues.contains { $0.id == queue.address && $0.queued > 0 })
    }

    @Test("A queue has the threads that run its blocks, and those that wait for it")
    func running() throws {
      let queue = DispatchQueue(label: "table.running")
      let gate = DispatchSemaphore(value: 0)
      let handed = nextLine()
      queue.async { gate.wait() }
      let called = nextLine(#fileID, #line)
      let caller = TestThread { queue.sync {} }
      let waiting = try #require(TableTests.thread(caller.id, waitsFor: .queue))
      #expect(waiting.wait?.object == queue.address)
      #expect(waiting.wait.map { TableTests.line($0.place) } == called)
      let worker = try #require(
        TableTests.snapshot().threads.first { $0.wait?.object == gate.address })
      let run = try #require(worker.runs.first)
      #expect(worker.runs.count == 1)
      #expect(run.queue == queue.address)
      #expect(TableTests.line(run.place) == handed)
      #expect(run.enqueuedBy == Platform.thisThread)
      #expect(!run.isSynchronous)
      #expect(worker.pool != nil)
      gate.signal()
      caller.join()
    }

    @Test("Nested synchronous blocks are listed apart, outermost first, on the calling thread")
    func synchronous() throws {
      let outer = DispatchQueue(label: "table.outer")
      let inner = DispatchQueue(label: "table.inner", attributes: .concurrent)
      let gate = DispatchSemaphore(value: 0)
      let thread = TestThread {
        outer.sync { inner.sync(flags: .barrier) { gate.wait() } }
      }
      let found = try #require(TableTests.thread(thread.id, waitsFor: .semaphore))
      #expect(found.runs.map(\.queue) == [outer.address, inner.address])
      #expect(found.runs.map(\.isSynchronous) == [true, true])
      #expect(found.runs.map(\.isBarrier) == [false, true])
      #expect(found.pool == nil)
      gate.signal()
      thread.join()
      #expect(
        !TableTests.snapshot().threads.contains { $0.runs.contains { $0.queue == inner.address } })
    }

    @Test("Delayed blocks, and those behind a group, are listed apart from queued ones")
    func later() throws {
      let queue = DispatchQueue(label: "table.later")
      let group = DispatchGroup()
      group.enter()
      group.notify(queue: queue) {}
      // The block never runs: the process ends first. Other tests see it too.
      queue.asyncAfter(deadline: .now() + 3600) {}
      let found = try #require(Self.queue(queue) { $0.delayed == 1 })
      #expect(found.onGroups == 1)
      #expect(found.queued == 0)
      let next = try #require(found.nextDelayed)
      #expect((3000...3600).contains(next))
      group.leave()
      _ = try #require(Self.queue(queue) { $0.onGroups == 0 })
    }

    @Test("A cancelled work item is removed, cancelled before or after it was enqueued")
    func cancelled() throws {
      let queue = DispatchQueue(label: "table.cancelled")
      queue.suspend()
      let item = DispatchWorkItem {}
      queue.async(execute: item)
      queue.async {}
      _ = try #require(Self.queue(queue) { $0.queued == 2 })
      item.cancel()
      _ = try #require(Self.queue(queue) { $0.queued == 1 })
      let early = DispatchWorkItem {}
      early.cancel()
      queue.async(execute: early)
      _ = try #require(Self.queue(queue) { $0.queued == 1 })
      queue.resume()
      queue.sync {}
    }

    @Test("A continuation is listed until it is resumed")
    func continuations() async throws {
      let kept = SharedArray<UnsafeContinuation<Void, Never>?>(count: 1) { nil }
      let isKept = DispatchSemaphore(value: 0)
      let task = Task {
        await withUnsafeContinuation { continuation in
          kept[0] = continuation
          isKept.signal()
        }
      }
      await onThread { isKept.wait() }
      func isListed() -> Bool {
        TableTests.snapshot().signals.contains {
          $0.kind == .continuation && $0.id == kept[0]?.address
        }
      }
      await onThread { eventually("it is listed") { isListed() } }
      kept[0]?.resume()
      await task.value
      #expect(!isListed())
    }
  }
}
