import CInterlockEvents
import Dispatch
import Synchronization
import Testing

private struct Failure: Error, Equatable { var number: Int }

/// A value that does not fit into registers.
private struct Large: Equatable, Sendable {
  var words = [1, 2, 3]
  var numbers = (1.5, 2.5, 3.5, 4, 5, 6)
  static func == (a: Large, b: Large) -> Bool { a.words == b.words && a.numbers.5 == b.numbers.5 }
}

private func halved(_ number: Int) throws -> Int {
  if number == 3 { throw Failure(number: 3) }
  return number / 2
}

/// Records at each check whether the task was blind.
private final class Blindness: Sendable {
  private let kept = Mutex<[Bool]>([])

  var seen: [Bool] { kept.withLock { $0 } }

  func look() {
    let isBlind = interlock_events_task_is_blind(UnsafeRawPointer(bitPattern: thisTask))
    kept.withLock { $0.append(isBlind) }
  }
}

private final class Tally: Sendable {
  let count = Atomic<Int>(0)
}

private actor Counter {
  private(set) var count = 0
  func add(_ number: Int, _ half: Double) -> (Int, Double) {
    count += number
    return (count, half)
  }
}

extension SyncEvents {
  /// The ends of awaits that no other event shows. The calls must return the same values as without
  /// a reader.
  @Suite("Awaits")
  struct AwaitTests {
    /// The changes of this task that are published while `body` runs.
    private static func published<Value>(
      isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> (value: Value, goesOn: Int) {
      guard let recorder = EventRecorder.start(kinds: INTERLOCK_EVENT_TASK.rawValue) else {
        preconditionFailure("there are too many readers")
      }
      defer { recorder.stop() }
      let task = thisTask
      recorder.follow(task)
      let value = try await body()
      let events = recorder.events(of: task)
      #expect(events.allSatisfy { $0.value == Int64(INTERLOCK_TASK_RESUMES.rawValue) })
      return (value, events.count)
    }

    @Test("The await of a task's value is published if the value is ready, and if the task waits")
    func value() async throws {
      let ended = Task { Large() }
      _ = await ended.value
      let there = await Self.published { await ended.value }
      #expect(there == (Large(), 1))
      let gate = DispatchSemaphore(value: 0)
      let waiting = Task.detached {
        gate.wait()
        return Large()
      }
      let later = await Self.published {
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { gate.signal() }
        return await waiting.value
      }
      #expect(later == (Large(), 1))
      let failed = Task<Int, any Error> { throw Failure(number: 7) }
      await #expect(throws: Failure(number: 7)) {
        try await Self.published { try await failed.value }
      }
      let result = await Self.published { await failed.result }.value
      #expect(throws: Failure(number: 7)) { try result.get() }
    }

    @Test("The awaits of a task group are published for every kind of group")
    func groups() async throws {
      let sum = await Self.published {
        await withTaskGroup(of: Large.self) { group in
          for _ in 0..<10 { group.addTask { Large() } }
          var sum = 0
          for await large in group { sum += large.words.count }
          return sum
        }
      }
      #expect(sum.value == 30)
      // Each of the eleven calls of next(), and the group's own end.
      #expect(sum.goesOn >= 12)
      await #expect(throws: Failure(number: 3)) {
        try await Self.published {
          try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<5 { group.addTask { try halved(number) } }
            try await group.waitForAll()
          }
        }
      }
      let tally = Tally()
      let discarded = await Self.published {
        await withDiscardingTaskGroup(returning: Large.self) { group in
          for _ in 0..<5 { group.addTask { tally.count.add(1, ordering: .relaxed) } }
          return Large()
        }
      }
      #expect(discarded.value == Large())
      #expect(tally.count.load(ordering: .relaxed) == 5)
    }

    @Test("The await of an async let is published, also if it throws")
    func asyncLets() async throws {
      let found = try await Self.published {
        async let first = Large()
        async let second: Int = halved(8)
        async let third = 5.5
        return try await (first, second, third)
      }
      #expect(found.value == (Large(), 4, 5.5))
      #expect(found.goesOn >= 3)
      await #expect(throws: Failure(number: 3)) {
        try await Self.published {
          async let number: Int = halved(3)
          return try await number
        }
      }
    }

    @Test("The await of a continuation is published if it was resumed before the wait, and after")
    func continuations() async throws {
      #expect(
        await Self.published { await withUnsafeContinuation { $0.resume(returning: Large()) } } == (
          Large(), 1
        ))
      #expect(
        await Self.published { await withCheckedContinuation { $0.resume(returning: Large()) } }
          == (
            Large(), 1
          ))
      let later = try await Self.published {
        try await withUnsafeThrowingContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: 3.25) }
        }
      }
      #expect(later == (3.25, 1))
      await #expect(throws: Failure(number: 2)) {
        try await Self.published {
          try await withUnsafeThrowingContinuation { continuation in
            let none: UnsafeContinuation<Int, any Error> = continuation
            none.resume(throwing: Failure(number: 2))
          }
        }
      }
    }

    @Test("An await that leaves an actor is published")
    func actors() async {
      let counter = Counter()
      let found = await Self.published {
        _ = await counter.add(1, 0.5)
        return await counter.add(2, 0.25)
      }
      #expect(found.value == (3, 0.25))
      #expect(found.goesOn >= 2)
      let main = await Self.published { await MainActor.run { Large() } }
      #expect(main.value == Large())
      #expect(main.goesOn >= 1)
    }

    @Test("The awaits of streams and sequences are published, and a sequence's closures are blind")
    func sequences() async {
      let blind = Blindness()
      func stream() -> AsyncStream<Int> {
        AsyncStream { continuation in
          for number in 0..<5 { continuation.yield(number) }
          continuation.finish()
        }
      }
      let found = await Self.published {
        var sum = 0
        for await number in stream().map({ number in
          blind.look()
          return number * 2
        }).filter({ $0 > 2 }) {
          blind.look()
          sum += number
        }
        return sum
      }
      #expect(found.value == 18)
      #expect(found.goesOn >= 4)
      #expect(blind.seen.count == 8)
      // The task is blind in the closures of map() and filter(), not in the loop.
      #expect(blind.seen.count { $0 } == 5)
      #expect(!interlock_events_task_is_blind(UnsafeRawPointer(bitPattern: thisTask)))
      #expect(await Self.published { await stream().reduce(0, +) }.value == 10)
      #expect(await Self.published { await stream().contains(3) }.value)
      #expect(await Self.published { await stream().max() }.value == 4)
      #expect(await Self.published { await stream().first { $0 > 1 } }.value == 2)
      #expect(await Self.published { await stream().allSatisfy { $0 < 4 } }.value == false)
    }

    @Test("Nested awaits each resume their own caller")
    func nested() async throws {
      let found = try await Self.published {
        try await withThrowingTaskGroup(of: Int.self) { group in
          group.addTask {
            try await withTaskCancellationHandler {
              try await Task.sleep(nanoseconds: 1_000_000)
              return await Task { 4 }.value
            } onCancel: {
            }
          }
          let inner = await withTaskGroup(of: Int.self) { inner in
            inner.addTask { await withCheckedContinuation { $0.resume(returning: 5) } }
            return await inner.next() ?? 0
          }
          let time = await ContinuousClock().measure { await Task.yield() }
          #expect(time >= .zero)
          return try await (group.next() ?? 0) * 10 + inner
        }
      }
      #expect(found.value == 45)
    }

    @Test("Concurrent awaits of many tasks each return their own value")
    func many() async {
      guard let recorder = EventRecorder.start(kinds: INTERLOCK_EVENT_TASK.rawValue) else {
        preconditionFailure("there are too many readers")
      }
      defer { recorder.stop() }
      let counter = Counter()
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 0..<2000 {
          group.addTask {
            async let half = Task { number / 2 }.value
            _ = await counter.add(1, 0)
            await Task.yield()
            let rest: Int = await withUnsafeContinuation { continuation in
              DispatchQueue.global().async { continuation.resume(returning: number - number / 2) }
            }
            return await half + rest
          }
        }
        return await group.reduce(0, +)
      }
      #expect(sum == 1999 * 1000)
      #expect(await counter.count == 2000)
    }
  }
}
