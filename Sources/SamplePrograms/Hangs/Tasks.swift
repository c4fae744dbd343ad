import Dispatch
import Foundation
import Programs
import Synchronization

/// Swift Concurrency: continuations that are never resumed, and actors that wait for themselves.
let taskPrograms: [Program] = [
  Program(
    "continuation-never-resumed", "a task waits for a cancelled request, which never calls back",
    .hangs(.suspended),
    source: "SE-0300: a continuation must be resumed exactly once on every path",
    continuationNeverResumed),
  Program(
    "unsafe-continuation-never-resumed", "a task waits for an answer that arrived before the wait",
    .hangs(.suspended),
    source: "SE-0300: a continuation must be resumed exactly once on every path",
    unsafeContinuationNeverResumed),
  Program(
    "continuation-overwritten", "a second request replaces the continuation of the first",
    .hangs(.suspended),
    source: "SE-0300: a delegate wrapped for async, with room for one continuation",
    continuationOverwritten),
  Program(
    "stream-never-finished", "a loop over an AsyncStream that is not finished", .hangs(.lostWakeUp),
    source: "SE-0314: the loop ends when the stream is finished",
    streamNeverFinished),
  Program(
    "main-actor-waits-for-itself", "a method of the main actor waits for a task of the main actor",
    .hangs(.starvation),
    source: "WWDC 2021, \"Swift concurrency: Behind the scenes\", on the main actor",
    mainActorWaitsForItself),
  Program(
    "actor-waits-for-itself", "a method of an actor waits for a task that calls the actor",
    .hangs(.cycle), source: "WWDC 2021, \"Swift concurrency: Behind the scenes\", on an actor",
    actorWaitsForItself),
]

/// Blocks this thread until asynchronous code has ended, as synchronous callers do.
private func waitFor(_ work: @escaping @Sendable () async -> Void) {
  let finished = DispatchSemaphore(value: 0)
  Task.detached {
    await work()
    finished.signal()
  }
  finished.wait()
}

/// Wrong: `cancel` forgets the waiting caller. SE-0300: a continuation must be resumed exactly once
/// on every path.
private func continuationNeverResumed() {
  final class Request: Sendable {
    private let waiting = Mutex<[CheckedContinuation<String, Never>]>([])
    private let isCancelled = Mutex(false)

    func answer() async -> String {
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }

    func cancel() { isCancelled.withLock { $0 = true } }

    func finish(_ answer: String) {
      guard !isCancelled.withLock({ $0 }) else { return }
      for continuation in waiting.withLock({ $0 }) { continuation.resume(returning: answer) }
    }
  }

  let request = Request()
  request.cancel()
  Thread.detachNewThread { request.finish("42") }
  waitFor { _ = await request.answer() }
}

/// Wrong: opening the gate resumes the current waiters, and leaves no mark for later ones.
private func unsafeContinuationNeverResumed() {
  final class Gate: Sendable {
    private let waiting = Mutex<[UnsafeContinuation<Void, Never>]>([])

    func pass() async {
      await withUnsafeContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }

    func open() {
      for continuation in waiting.withLock({ $0 }) { continuation.resume() }
    }
  }

  let gate = Gate()
  gate.open()
  waitFor { await gate.pass() }
}

/// Wrong: there is room for one continuation, and there are two callers. A delegate wrapped for
/// `async`, such as `CLLocationManager`'s.
private func continuationOverwritten() {
  final class Locator: Sendable {
    private let waiting = Mutex<CheckedContinuation<Int, any Error>?>(nil)

    func location(_ asked: DispatchSemaphore) async throws -> Int {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        asked.signal()
      }
    }

    func didLocate(_ location: Int) {
      waiting.withLock { $0.take() }?.resume(returning: location)
    }
  }

  let locator = Locator()
  let asked = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    for _ in 0..<2 { asked.wait() }
    locator.didLocate(7)
  }
  waitFor {
    async let first = locator.location(asked)
    async let second = locator.location(asked)
    _ = try? await (first, second)
  }
}

/// Wrong: the producer ends without `finish()`, and the stream outlives it.
private func streamNeverFinished() {
  let (lines, writer) = AsyncStream.makeStream(of: String.self)
  Thread.detachNewThread {
    for number in 1...3 { writer.yield("line \(number)") }
  }
  waitFor {
    for await _ in lines {}
  }
  writer.finish()
}

/// Wrong: the task inherits the main actor, which is blocked waiting for it.
private func mainActorWaitsForItself() {
  @MainActor enum Screen {
    static func refresh() {
      let refreshed = DispatchSemaphore(value: 0)
      Task { refreshed.signal() }
      refreshed.wait()
    }
  }

  waitFor { await Screen.refresh() }
}

/// Wrong: a synchronous method of the actor blocks until a task that needs the actor has ended.
private func actorWaitsForItself() {
  actor Store {
    private var count = 0

    func increment() { count += 1 }

    func incrementAndWait() { waitFor { await self.increment() } }
  }

  let store = Store()
  waitFor { await store.incrementAndWait() }
}
