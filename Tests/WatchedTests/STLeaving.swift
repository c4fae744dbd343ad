import Dispatch
import Foundation
import InterlockTesting
import Testing

/// Keeps continuations that no code resumes: dropping a checked one would print a warning.
private enum Forgotten {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var values: [any Sendable] = []

  static func keep(_ value: any Sendable) { lock.withLock { values.append(value) } }
}

/// Waits, without blocking a thread of the pool, until a task has reached its last wait.
private final class Arrival: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  func arrive() { group.leave() }

  func wait() async {
    await withCheckedContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
  }
}

/// Waits for ever.
private func waitForever(_ arrival: Arrival) async {
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in  // waits
    Forgotten.keep(continuation)
    arrival.arrive()
  }
}

/// Runs work on a new thread, and waits for the end of the thread.
private func onJoinedThread(_ work: @escaping @Sendable () -> Void) {
  final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let argument = Unmanaged.passRetained(Work(work)).toOpaque()
  pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, argument)
  pthread_join(thread, nil)
}

/// Tests that leave a task behind, with any grace.
@Suite(.interlock(leaks: .fail(grace: .zero))) struct Leaving {
  @Test func continuation() async {
    let arrival = Arrival()
    Task { await waitForever(arrival) }  // leaves a continuation
    await arrival.wait()
  }

  @Test func unsafeContinuation() async {
    let arrival = Arrival()
    Task.detached {  // leaves an unsafe continuation
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        Forgotten.keep(continuation)
        arrival.arrive()
      }
    }
    await arrival.wait()
  }

  @Test func stream() async {
    let arrival = Arrival()
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    source.yield(1)
    Forgotten.keep(source)
    Task {  // leaves a stream
      for await _ in numbers { arrival.arrive() }
    }
    await arrival.wait()
  }

  @Test func awaitsAnother() async {
    let arrival = Arrival()
    let first = Task { await waitForever(arrival) }  // leaves the first
    Task { await first.value }  // leaves the second
    await arrival.wait()
  }

  @Test func child() async {
    let arrival = Arrival()
    Task {  // leaves a group
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await waitForever(arrival) }  // leaves a child
      }
    }
    await arrival.wait()
  }

  @Test func ofATask() async {
    let arrival = Arrival()
    // The scope of a task is known once the call that makes the task has returned.
    let isMade = Arrival()
    let outer = Task.detached {
      await isMade.wait()
      Task.detached { await waitForever(arrival) }  // leaves the task of a task
    }
    isMade.arrive()
    await outer.value
    await arrival.wait()
  }

  @Test func ofAThread() async {
    let arrival = Arrival()
    onJoinedThread {
      Task { await waitForever(arrival) }  // leaves the task of a thread
    }
    await arrival.wait()
  }

  @Test func thread() async {
    let (arrival, forever) = (Arrival(), DispatchSemaphore(value: 0))
    Forgotten.keep(forever)
    Thread.detachNewThread {  // leaves a thread
      arrival.arrive()
      forever.wait()
    }
    await arrival.wait()
  }

  @Test func several() async {
    let arrivals = (0..<3).map { _ in Arrival() }
    for arrival in arrivals {
      Task { await waitForever(arrival) }  // leaves three
    }
    for arrival in arrivals { await arrival.wait() }
  }

  @Test func throwing() async throws {
    await continuation()
    throw CancellationError()
  }

  @Test(.interlock) func ignored() async { await continuation() }

  @Test(.interlock(leaks: .warn(grace: .zero))) func warned() async { await continuation() }

  @Test(.interlock(leaks: .fail(grace: .zero, allowing: ["waitForever"])))
  func allowedByFunction() async { await continuation() }

  @Test(.interlock(leaks: .fail(grace: .zero, allowing: ["STLeaving.swift"])))
  func allowedByFile() async { await continuation() }

  @Test(.interlock(leaks: .fail(grace: .zero, allowing: ["anotherFunction", "Other.swift"])))
  func notAllowed() async { await continuation() }
}

/// The trait's argument for the tests that leave nothing: `LEAKS=off` turns it off, to measure its
/// cost.
let stayingLeaks: InterlockTrait.Leaks =
  ProcessInfo.processInfo.environment["LEAKS"] == "off"
  ? .ignored : .fail(grace: .seconds(120))

/// Tests like `Leaving`, whose tasks end. `ROUNDS` is the number of cases of each test.
@Suite(.interlock(leaks: stayingLeaks)) struct Staying {
  static let rounds = 0..<(Int(ProcessInfo.processInfo.environment["ROUNDS"] ?? "") ?? 20)

  @Test(arguments: rounds) func continuation(_ round: Int) async {
    await Task {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
      }
    }.value
  }

  @Test(arguments: rounds) func unsafeContinuation(_ round: Int) async {
    let task = Task.detached {
      await withUnsafeContinuation { continuation in
        Task { continuation.resume() }
      }
    }
    if round % 2 == 0 { await task.value }
  }

  @Test(arguments: rounds) func stream(_ round: Int) async {
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    let reader = Task {
      for await _ in numbers {}
    }
    source.yield(1)
    source.finish()
    await reader.value
  }

  /// The cancelled task ends after the test.
  @Test(arguments: rounds) func cancelled(_ round: Int) async {
    let task = Task { try? await Task.sleep(for: .seconds(3600)) }
    task.cancel()
  }

  @Test(arguments: rounds) func child(_ round: Int) async {
    Task {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await Task.yield() } }
      }
    }
  }

  @Test(arguments: rounds) func ofATask(_ round: Int) async {
    Task.detached {
      await Task.yield()
      Task.detached { await Task.yield() }
    }
  }

  @Test(arguments: rounds) func ofAThread(_ round: Int) {
    Thread.detachNewThread {
      Task { await Task.yield() }
    }
  }

  @Test(arguments: rounds) func thread(_ round: Int) {
    if round % 2 == 0 { return onJoinedThread {} }
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread { ended.signal() }
    ended.wait()
  }

  @Test(arguments: rounds) func onAnActor(_ round: Int) async {
    let counter = ActorCounter()
    for _ in 0..<4 { Task { await counter.add() } }
    for _ in 0..<4 { await counter.addLater() }
  }

  @Test(arguments: rounds) func many(_ round: Int) async {
    for _ in 0..<20 { Task {} }
  }
}

private actor ActorCounter {
  private var count = 0

  func add() { count += 1 }

  func addLater() { Task { add() } }
}
