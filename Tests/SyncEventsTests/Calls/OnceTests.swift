import CInterlockEvents
import Dispatch
import Synchronization
import Testing
import WaitGraph

/// How often the variables below were made.
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

extension SyncEvents {
  /// `swift_once`, behind global and static variables.
  @Suite("Initialisers of static variables")
  struct OnceTests {
    @Test("are told of while they run, and never again")
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
      // The variable's own, and, inside it, that of the count.
      let words = events.map(\.words)
      #expect(words.first == "wait once")
      #expect(words.last == "release once")
      let own = events.first?.object ?? 0
      #expect(
        events.filter { $0.object == own }.map(\.words)
          == ["wait once", "acquire once", "release once"])
    }

    @Test("are had by the thread that runs them, and waited for by the others, which get the value")
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
  }
}
