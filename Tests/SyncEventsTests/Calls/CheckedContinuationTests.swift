import CInterlockAnalysis
import CInterlockEvents
import Dispatch
import Synchronization
import Testing
import Hangs

private struct Failure: Error, Equatable { var number: Int }

/// A value that does not fit into registers.
private struct Large: Equatable, Sendable {
  var words = (1, 2, 3, 4, 5, 6)
  var text = "text"
  static func == (a: Large, b: Large) -> Bool { a.words == b.words && a.text == b.text }
}

/// A task that waits to be resumed.
private final class Waiting: Sendable {
  private let kept = Mutex<CheckedContinuation<Void, Never>?>(nil)
  private let address = Atomic<UInt>(0)
  let isKept = DispatchSemaphore(value: 0)

  func wait(isolation: isolated (any Actor)? = #isolation) async {
    address.store(thisTask, ordering: .relaxed)
    await withCheckedContinuation(isolation: nil) { continuation in
      kept.withLock { $0 = continuation }
      isKept.signal()
    }
  }

  func resume() { kept.withLock { $0.take() }?.resume() }

  var isListed: Bool {
    let task = address.load(ordering: .relaxed)
    return SyncEvents.TableTests.snapshot().signals.contains {
      $0.kind == .continuation && $0.id == task
    }
  }
}

extension SyncEvents {
  /// `withCheckedContinuation`, which runs inside the runtime unless it is inlined.
  @Suite("Checked continuations")
  struct CheckedContinuationTests {
    @Test("A checked continuation publishes the line where its task waits, and its resumption")
    func line() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let task = thisTask
      recorder.follow(task)
      let called = nextLine()
      let value = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: 42) }
      }
      #expect(value == 42)
      let events = recorder.events(of: task).filter {
        $0.objectKind == INTERLOCK_OBJECT_CONTINUATION
      }
      #expect(events.first?.words == "create continuation")
      #expect(events.first?.line == called)
      // When the task's job is enqueued, unless the task was resumed before it gave up its thread;
      // and when the task continues.
      #expect(Set(events.dropFirst().map(\.words)) == ["release continuation"])
      #expect((2...3).contains(events.count))
    }

    @Test("A checked continuation resumed before the wait returns its value and leaves no wait")
    func atOnce() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      let task = thisTask
      recorder.follow(task)
      let large: Large = await withCheckedContinuation { $0.resume(returning: Large()) }
      #expect(large == Large())
      await #expect(throws: Failure(number: 3)) {
        let _: Large = try await withCheckedThrowingContinuation {
          $0.resume(throwing: Failure(number: 3))
        }
      }
      let words = recorder.events(of: task)
        .filter { $0.objectKind == INTERLOCK_OBJECT_CONTINUATION }.map(\.words)
      #expect(
        words == [
          "create continuation", "release continuation",
          "create continuation", "release continuation",
        ])
    }

    @Test(
      "Checked continuations of many tasks each return their own value or error",
      arguments: [false, true])
    func many(isHeard: Bool) async throws {
      let recorder = isHeard ? EventRecorder.start() : nil
      #expect((recorder != nil) == isHeard)
      defer { recorder?.stop() }
      let results = await withTaskGroup(of: (Int, Result<Large, Failure>).self) { group in
        for number in 0..<500 {
          group.addTask { (number, await Self.answer(number)) }
        }
        return await group.reduce(into: [Int: Result<Large, Failure>]()) { $0[$1.0] = $1.1 }
      }
      #expect(results.count == 500)
      for (number, result) in results { #expect(result == Self.expected(number)) }
    }

    private static func expected(_ number: Int) -> Result<Large, Failure> {
      if number % 3 == 0 { return .failure(Failure(number: number)) }
      return .success(Large(text: String(repeating: "x", count: number)))
    }

    /// Resumes continuations at once, from a queue and from another task, with a value or an error.
    /// The first wait ends before the second begins.
    private static func answer(_ number: Int) async -> Result<Large, Failure> {
      let result = expected(number)
      do {
        let inner: Int = await withCheckedContinuation { continuation in
          Task.detached { continuation.resume(returning: number) }
        }
        let value: Large = try await withCheckedThrowingContinuation { continuation in
          if inner % 2 == 0 {
            continuation.resume(with: result)
          } else {
            DispatchQueue.global().async { continuation.resume(with: result) }
          }
        }
        return .success(value)
      } catch let failure as Failure {
        return .failure(failure)
      } catch {
        return .failure(Failure(number: -1))
      }
    }

    @Test("Checked continuations of an actor and of the main actor resume on that actor")
    func actors() async throws {
      let recorder = try #require(EventRecorder.start())
      defer { recorder.stop() }
      actor Counter {
        var count = 0
        func add() async -> Int {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume() }
          }
          assertIsolated()
          count += 1
          return count
        }
      }
      let counter = Counter()
      let counts = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<100 { group.addTask { await counter.add() } }
        return await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(counts == Set(1...100))
      let isMain = await Task { @MainActor in
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
        MainActor.assertIsolated()
        return true
      }.value
      #expect(isMain)
    }

    @Test("A checked continuation is listed also if its task changes its executor on the way in")
    func hop() async throws {
      try #require(interlock_waits_start())
      let waiting = Waiting()
      let task = Task { @MainActor in await waiting.wait() }
      await onThread {
        waiting.isKept.wait()
        #expect(waiting.isListed)
      }
      waiting.resume()
      await task.value
      #expect(!waiting.isListed)
    }

    @Test("The wait table lists a checked continuation until it is resumed")
    func listed() async throws {
      try #require(interlock_waits_start())
      let waiting = Waiting()
      let task = Task { await waiting.wait() }
      await onThread {
        waiting.isKept.wait()
        #expect(waiting.isListed)
      }
      waiting.resume()
      await task.value
      #expect(!waiting.isListed)
    }
  }
}
