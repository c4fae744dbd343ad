import Foundation
import Interlock
import InterlockTesting
import Testing

/// Tests under `.interlock`; the parent process checks their reports.
@Suite(.interlock(hangLimit: .seconds(5)))
struct Watched {
  @Test func tasks() async { await Meeting("of tasks").inTasks() }

  @Test func threads() { Meeting("of threads").onThreads() }

  @Test func quiet() { Section("of quiet").write {} }

  @Test(arguments: [1, 2]) func parameters(_ number: Int) async {
    if number == 2 { await Meeting("of parameters").inTasks() }
  }

  @Test func known() async {
    await withKnownIssue { await Meeting("of known").inTasks() }
  }

  @Test(.timeLimit(.minutes(1))) func limited() async { await Meeting("of limited").inTasks() }

  @Test func confirms() async {
    await confirmation { confirmed in
      await Meeting("of confirms").inTasks()
      confirmed()
    }
  }

  @Test func exits() async {
    await #expect(processExitsWith: .exitCode(3)) { exit(3) }
    await Meeting("of exits").inTasks()
  }

  @Test func knownOnThreads() {
    withKnownIssue { Meeting("of knownOnThreads").onThreads() }
  }

  @Test func knownInBlocks() {
    withKnownIssue { Meeting("of knownInBlocks").inBlocks() }
  }

  @Suite struct Nested {
    @Test(.interlock) func inner() async { await Meeting("of inner").inTasks() }
  }
}

/// The trait of a suite, replaced by the traits of a test and of an inner suite.
@Suite(.interlock(hangLimit: .milliseconds(500), predict: true, failOn: .potential), .serialized)
struct Replaced {
  /// Waits for a process, for longer than the suite's limit: to this process, that is no progress.
  @Test(.interlock(hangLimit: .seconds(60))) func waitsLonger() throws {
    let file = try #require(popen("sleep 3", "r"))
    #expect(fgetc(file) == EOF)
    pclose(file)
  }

  @Test(.interlock) func doesNotPredict() { crossInTurn() }

  @Suite(.interlock(predict: true)) struct Inner {
    @Test func warns() { crossInTurn() }
  }
}

/// Expectations on threads on which Swift Testing itself finds no current test.
@Suite(.interlock) struct Expecting {
  @Test(arguments: [1, 2]) func onThread(_ number: Int) {
    onAThread {
      #expect(number == 1)  // expects on a thread
    }
    #expect(Test.current?.name == "onThread(_:)")
  }

  @Test func inBlock() {
    let ended = DispatchGroup()
    DispatchQueue.global().async(group: ended) {
      DispatchQueue(label: "inner").sync {
        #expect(Bool(false))  // expects in a block
      }
      #expect(Test.current?.name == "inBlock()")
    }
    ended.wait()
  }

  @Test func knownOnThread() {
    withKnownIssue {
      onAThread { #expect(Bool(false)) }
    }
  }

  /// One thread of the pool runs blocks of this test and blocks of no test.
  @Test func leavesThePool() {
    let ended = DispatchGroup()
    for _ in 0..<64 { DispatchQueue.global().async(group: ended) {} }
    ended.wait()
    #expect(Bystander.testsOfItsBlocks() == [])
  }

  @Test func stressed() async throws {
    try await stress(1, callers: 2, rounds: 50) { _, caller in
      onAThread {
        #expect(caller.round < 3)  // expects on a thread of a stress
      }
    }
  }
}

/// Exit tests, whose bodies run in separate processes.
@Suite(.interlock) struct Exiting {
  @Test func stresses() async {
    await #expect(processExitsWith: .success) {
      try await stress(Counter(), callers: 4, rounds: 500) { counter, _ in counter.add() }
    }
  }

  @Test func hasAConflict() async {
    await #expect(processExitsWith: .success) {  // exits
      await Meeting("of an exit test").inTasks()
    }
  }
}

/// Runs a function on a new thread, and waits for its end.
func onAThread(_ body: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    ended.signal()
  }
  ended.wait()
}

/// Two tests at the same time, one of which has a conflict.
@Suite(.interlock) struct Together {
  static let both = Rendezvous()
  static let ended = Rendezvous()

  @Test func withConflict() async {
    await Self.both.arrive()
    Meeting("of one").onThreads()
    await Self.ended.arrive()
  }

  @Test func without() async {
    await Self.both.arrive()
    await Self.ended.arrive()
  }
}

/// Two tests at the same time, each with one side of a conflict.
@Suite(.interlock) struct Shared {
  static let meeting = Meeting("of both")
  static let ended = Rendezvous()

  @Test func first() async {
    Thread.detachNewThread { Self.meeting.first() }
    await Self.ended.arrive()
  }

  @Test func second() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        Self.meeting.second()
        continuation.resume()
      }
    }
    await Self.ended.arrive()
  }
}

/// Two tests at the same time, and a conflict that belongs to no test.
@Suite(.interlock) struct Unowned {
  static let both = Rendezvous()
  static let ended = Rendezvous()

  @Test func causes() async {
    await Self.both.arrive()
    Outsiders.meet()
    await Self.ended.arrive()
  }

  @Test func waits() async {
    await Self.both.arrive()
    await Self.ended.arrive()
  }
}

/// Locks in two orders that did not overlap.
@Suite(.serialized) struct Predicted {
  @Test(.interlock(predict: true, failOn: .potential)) func fails() { crossInTurn() }
}

private func crossInTurn() {
  let first = NSLock()
  let second = NSLock()
  for pair in [(first, second), (second, first)] {
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      pair.0.withLock { pair.1.withLock {} }  // crosses
      ended.signal()
    }
    ended.wait()
  }
}

/// Calls a function when a test, with its other traits, has ended. The first trait is outermost.
private struct AfterTheEnd: TestTrait, TestScoping {
  let call: @Sendable () -> Void

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    defer { call() }
    try await function()
  }
}

/// Two tests of one name at the same time. One of them has a potential finding, and ends last.
struct Namesakes {
  static let isDone = Rendezvous()
  static let ended = Rendezvous()

  struct Crossing {
    @Test(.interlock(predict: true, failOn: .potential)) func orders() async {
      crossHere()
      await Namesakes.isDone.arrive()
      await Namesakes.ended.arrive()
    }

    /// Takes two locks in two orders. The stack of one of them shows the test.
    private func crossHere() {
      let (first, second) = (NSLock(), NSLock())
      take(first, second)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        take(second, first)
        ended.signal()
      }
      ended.wait()
    }

    private func take(_ first: NSLock, _ second: NSLock) {
      first.withLock { second.withLock {} }  // orders
    }
  }

  struct Quiet {
    @Test(AfterTheEnd { Namesakes.ended.leave() }, .interlock(predict: true, failOn: .potential))
    func orders() async { await Namesakes.isDone.arrive() }
  }
}

/// Two tests at the same time. One of them calls code that has a potential finding on threads whose
/// stacks show no test, and ends last.
struct Unshown {
  static let isDone = Rendezvous()
  static let ended = Rendezvous()

  @Test(.interlock(predict: true, failOn: .potential)) func causes() async {
    crossInTurn()
    await Self.isDone.arrive()
    await Self.ended.arrive()
  }

  @Test(AfterTheEnd { Unshown.ended.leave() }, .interlock(predict: true, failOn: .potential))
  func ends() async { await Self.isDone.arrive() }
}

/// Two tests at the same time. The unwatched test has a potential finding. Prediction is on from
/// the start of the process.
struct Beside {
  static let isDone = DispatchSemaphore(value: 0)
  static let ended = Rendezvous()

  /// Synchronous, so that the stack of the wait shows the test. One of the waits blocks.
  @Test func unwatched() {
    for _ in 0..<20 {
      Task.detached { Self.isDone.signal() }
      Self.isDone.wait()  // blocks
    }
    Self.ended.leave()
  }

  @Test(.interlock(predict: true, failOn: .potential)) func watched() async {
    await Self.ended.arrive()
  }
}

/// The test with the finding has a trait that does not predict; the suite around it predicts.
@Suite(.interlock(predict: true, failOn: .potential)) struct Around {
  static let isDone = DispatchSemaphore(value: 0)
  static let ended = Rendezvous()

  @Test func predicts() async { await Self.ended.arrive() }

  @Suite(.interlock) struct Inner {
    @Test func waits() {
      for _ in 0..<20 {
        Thread.detachNewThread { Around.isDone.signal() }
        Around.isDone.wait()
      }
      Around.ended.leave()
    }
  }
}

/// A test that hangs.
struct Hanging {
  @Test(.interlock(hangLimit: .seconds(3))) func suspends() async {
    await withCheckedContinuation { Self.kept.keep($0) }
  }

  static let kept = Kept()
}

/// Keeps a continuation that is never resumed.
final class Kept: Sendable {
  nonisolated(unsafe) private var continuation: CheckedContinuation<Void, Never>?

  func keep(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
}

/// A thread holds a lock and waits for the main queue; the main actor waits for the lock.
final class MainModel: Sendable {
  private let lock = NSLock()

  @MainActor var count: Int { lock.withLock { 1 } }

  func load() {
    lock.withLock {
      DispatchQueue.main.sync {}  // waits for the main queue
    }
  }
}

/// A deadlock with the main queue.
struct MainQueue {
  @Test func loads() async throws {
    try await stress(MainModel(), callers: 4, rounds: 1_000, hangLimit: .seconds(3)) {
      model, caller in
      if caller.index == 0 { model.load() } else { _ = await model.count }
    }
  }
}
