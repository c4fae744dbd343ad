import CInterlockAnalysis
import CInterlockEvents
import Dispatch
import ProcessInspection
import SyncEventsTestC
import Synchronization
import Testing
import Hangs

/// The number of times that the variables below were initialised.
private let made = Atomic<Int>(0)

private enum First {
  static let value: Int = made.add(1, ordering: .relaxed).newValue
}

private enum Shared {
  static let arrived = DispatchSemaphore(value: 0)
  static let goOn = DispatchSemaphore(value: 0)
  static let value: [Int] = {
    arrived.signal()
    goOn.wait()
    return Array(1...100)
  }()
}

/// A value that C makes with `dispatch_once`.
private final class Made: Sendable {
  /// Unsafe: only Dispatch changes it, by atomics; the tests read it after all users have ended.
  nonisolated(unsafe) let predicate: UnsafeMutablePointer<Int>
  let count = Atomic<Int>(0)
  let arrived = DispatchSemaphore(value: 0)
  let goOn = DispatchSemaphore(value: 0)

  init() {
    predicate = .allocate(capacity: 1)
    predicate.initialize(to: 0)
  }

  deinit { predicate.deallocate() }

  func use(_ call: sync_events_once_call) {
    sync_events_once(call, predicate, Unmanaged.passUnretained(self).toOpaque()) { context in
      guard let context else { return }
      let made = Unmanaged<Made>.fromOpaque(context).takeUnretainedValue()
      made.arrived.signal()
      made.goOn.wait()
      made.count.add(1, ordering: .relaxed)
    }
  }
}

extension SyncEvents {
  /// `swift_once`, behind global and static variables, and `dispatch_once`.
  @Suite("Initialisers of static variables")
  struct OnceTests {
    @Test("An initialiser is published while it runs, and never again")
    func first() throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let values = SharedArray<Int>(count: 2) { 0 }
      let thread = TestThread {
        recorder.follow(thread: Platform.thisThread)
        values[0] = First.value
        values[1] = First.value
      }
      thread.join()
      #expect(values[0] == 1)
      #expect(values[1] == 1)
      let events = recorder.all.filter {
        $0.thread == thread.id && $0.objectKind == INTERLOCK_OBJECT_ONCE
      }
      // The variable's own initialiser, and within it the initialiser of the count.
      let words = events.map(\.words)
      #expect(words.first == "wait once")
      #expect(words.last == "release once")
      let own = events.first?.object ?? 0
      #expect(
        events.filter { $0.object == own }.map(\.words)
          == ["wait once", "acquire once", "release once"])
    }

    @Test("An initialiser is held by its thread; other threads wait for it, and get the value")
    func shared() throws {
      try #require(interlock_waits_start())
      let sums = SharedArray<Int>(count: 8) { 0 }
      _ = Shared.goOn
      let maker = TestThread { sums[0] = Shared.value.reduce(0, +) }
      Shared.arrived.wait()
      let users = (1..<8).map { number in
        TestThread { sums[number] = Shared.value.reduce(0, +) }
      }
      for user in users {
        let found = try #require(TableTests.thread(user.id, waitsFor: .initializer))
        let variable = found.wait?.object
        let threads = TableTests.snapshot().threads
        let holders = threads.filter { thread in
          thread.held.contains { $0.kind == .initializer && $0.object == variable }
        }
        #expect(holders.map(\.id) == [maker.id])
      }
      Shared.goOn.signal()
      for thread in [maker] + users { thread.join() }
      for number in 0..<8 { #expect(sums[number] == 5050) }
      let left = TableTests.snapshot().threads.flatMap(\.held).filter { $0.kind == .initializer }
      #expect(left.isEmpty)
    }

    @Test(
      "dispatch_once is published while it runs, and never again",
      arguments: [SYNC_EVENTS_ONCE_FUNCTION, SYNC_EVENTS_ONCE_BLOCK])
    func firstOfDispatch(_ call: sync_events_once_call) throws {
      let made = Made()
      made.goOn.signal()
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      made.use(call)
      made.use(call)
      #expect(made.count.load(ordering: .relaxed) == 1)
      #expect(made.predicate.pointee == ~0)
      #expect(
        recorder.words(of: UInt(bitPattern: made.predicate))
          == ["wait once", "acquire once", "release once"])
    }

    @Test(
      "dispatch_once is held by the thread that runs it, and other threads wait for it",
      arguments: [SYNC_EVENTS_ONCE_FUNCTION, SYNC_EVENTS_ONCE_BLOCK])
    func sharedOfDispatch(_ call: sync_events_once_call) throws {
      try #require(interlock_waits_start())
      let made = Made()
      let maker = TestThread { made.use(call) }
      made.arrived.wait()
      let users = (1..<8).map { _ in TestThread { made.use(call) } }
      for user in users {
        let found = try #require(TableTests.thread(user.id, waitsFor: .initializer))
        #expect(found.wait?.object == UInt(bitPattern: made.predicate))
        let holders = TableTests.snapshot().threads.filter { thread in
          thread.held.contains { $0.object == UInt(bitPattern: made.predicate) }
        }
        #expect(holders.map(\.id) == [maker.id])
      }
      made.goOn.signal()
      for thread in [maker] + users { thread.join() }
      #expect(made.count.load(ordering: .relaxed) == 1)
      let left = TableTests.snapshot().threads.flatMap(\.held)
      #expect(!left.contains { $0.object == UInt(bitPattern: made.predicate) })
    }
  }
}
