import CInterlockEvents
import Synchronization
import Testing

private final class Suspended: Sendable {
  let continuation = Mutex<CheckedContinuation<Int, Never>?>(nil)
}

extension SyncEvents {
  /// Readers that are added and removed while tasks wait.
  @Suite("Awaits and readers")
  struct AwaitReaderTests {
    /// Four tasks that each wait for something, and the calls that wake them. They return 1 to 4.
    private struct Waiting {
      let tasks: [Task<Int, any Error>]
      private let gate: AsyncStream<Int>.Continuation
      private let feed: AsyncStream<Int>.Continuation
      private let suspended = Suspended()

      /// Each task is at its `await`, or about to reach it.
      init() async {
        let (reached, isReached) = AsyncStream.makeStream(of: Void.self)
        let (opened, gate) = AsyncStream.makeStream(of: Int.self)
        let (stream, feed) = AsyncStream.makeStream(of: Int.self)
        (self.gate, self.feed) = (gate, feed)
        let blocked = Task.detached { await opened.first { _ in true } ?? 0 }
        tasks = [
          Task.detached {
            isReached.yield()
            return await blocked.value
          },
          Task.detached {
            isReached.yield()
            return await stream.first { $0 == 2 } ?? 0
          },
          Task.detached { [suspended] in
            await withCheckedContinuation { continuation in
              suspended.continuation.withLock { $0 = continuation }
              isReached.yield()
            }
          },
          Task.detached {
            try await withThrowingTaskGroup(of: Int.self) { group in
              group.addTask { await blocked.value + 3 }
              isReached.yield()
              return try await group.next() ?? 0
            }
          },
        ]
        for await _ in reached.prefix(tasks.count) {}
      }

      func letGo() {
        feed.yield(2)
        suspended.continuation.withLock { $0 }?.resume(returning: 3)
        gate.yield(1)
      }

      var values: [Int] {
        get async throws {
          var values: [Int] = []
          for task in tasks { values.append(try await task.value) }
          return values
        }
      }
    }

    /// Repeated, because the scheduler decides whether a task has reached its `await` when the
    /// reader changes.
    @Test("Awaits return their values while a reader is added or removed", arguments: 0..<20)
    func readersChange(turn: Int) async throws {
      func start() throws -> EventRecorder {
        try #require(EventRecorder.start(kinds: INTERLOCK_EVENT_TASK.rawValue))
      }
      if turn.isMultiple(of: 2) {
        let waiting = await Waiting()
        let recorder = try start()
        defer { recorder.stop() }
        waiting.letGo()
        #expect(try await waiting.values == [1, 2, 3, 4])
      } else {
        let recorder = try start()
        let waiting = await Waiting()
        recorder.stop()
        waiting.letGo()
        #expect(try await waiting.values == [1, 2, 3, 4])
      }
    }
  }
}
