import Dispatch
import Foundation
import InterlockTesting
import Testing
import XCTest

private actor Purse {
  private(set) var coins = 100

  func take(_ count: Int) {
    guard coins >= count else { return }
    coins -= count
  }
}

/// Tests of XCTest that do not use Interlock. Each usually passes.
final class XCAsTheyAre: XCTestCase {
  private let purse = Purse()
  private var isSetUp = false
  private var calls = 0

  override func setUp() async throws {
    await Task.yield()
    isSetUp = true
  }

  override func setUp() { calls += 1 }

  override func tearDown() async throws {
    XCTAssertEqual(calls, 1, "an instance serves one execution")
    await Task.yield()
  }

  func testActor() async {
    XCTAssertTrue(isSetUp)
    let purse = purse
    async let one: Void = purse.take(80)
    async let other: Void = purse.take(80)
    _ = await (one, other)
    let coins = await purse.coins
    XCTAssertEqual(coins, 20)
  }

  /// Fails if the task is late.
  func testLateTask() async {  // late task
    let purse = purse
    let task = Task { await purse.take(80) }
    for _ in 0..<20 { await Task.yield() }
    let coins = await purse.coins
    XCTAssertEqual(coins, 20, "the task is late")
    await task.value
  }

  func testOnMainActor() async throws { try await Self.onMainActor(purse) }

  @MainActor private static func onMainActor(_ purse: Purse) async throws {
    XCTAssertTrue(Thread.isMainThread)
    try await Task.sleep(for: .milliseconds(10))
    await purse.take(80)
    let coins = await purse.coins
    XCTAssertEqual(coins, 20)
  }

  /// Each call answers on a separate queue.
  private func answers(_ count: Int, to answer: @escaping @Sendable (Int) -> Void) {
    for number in 0..<count {
      DispatchQueue(label: "answers \(number)").asyncAfter(deadline: .now() + 1) { answer(number) }
    }
  }

  func testExpectations() {
    XCTAssertTrue(Thread.isMainThread)
    let all = (0..<2).map { expectation(description: "answer \($0)") }
    answers(2) { all[$0].fulfill() }
    wait(for: all, timeout: 5)
  }

  func testCountedExpectation() {
    let both = expectation(description: "both answers")
    both.expectedFulfillmentCount = 2
    answers(2) { _ in both.fulfill() }
    nonisolated(unsafe) let test = self
    MainActor.assumeIsolated { test.waitForExpectations(timeout: 5) }
  }

  /// Fails if the second answer comes first.
  func testOrderOfExpectations() {  // second answer first
    let all = (0..<2).map { expectation(description: "answer \($0)") }
    let queue = DispatchQueue(label: "first answer")
    queue.async { all[0].fulfill() }
    DispatchQueue.global().async { all[1].fulfill() }
    Thread.sleep(forTimeInterval: 0.2)
    wait(for: all, timeout: 5, enforceOrder: true)
  }

  func testInvertedExpectation() {
    let never = expectation(description: "never")
    never.isInverted = true
    wait(for: [never], timeout: 0.1)
  }

  func testAwaitedExpectation() async {
    let answer = expectation(description: "answer")
    answers(1) { _ in answer.fulfill() }
    await fulfillment(of: [answer], timeout: 5)
  }

  /// A block of the main queue runs while the test waits, and never beside it.
  func testMainQueue() {
    let main = expectation(description: "main")
    nonisolated(unsafe) var count = 0
    DispatchQueue(label: "off the main thread").async {
      DispatchQueue.main.async {
        XCTAssertTrue(Thread.isMainThread)
        dispatchPrecondition(condition: .onQueue(.main))
        count += 1
        main.fulfill()
      }
    }
    XCTAssertEqual(count, 0)
    wait(for: [main], timeout: 5)
    XCTAssertEqual(count, 1)
  }

  func testPolls() {
    nonisolated(unsafe) var isDone = false
    DispatchQueue.main.async { isDone = true }
    let end = Date(timeIntervalSinceNow: 5)
    while !isDone, Date() < end {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    }
    XCTAssertTrue(isDone)
    isDone = false
    let begun = Date()
    DispatchQueue.main.async { isDone = true }
    while !isDone { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    XCTAssertLessThan(Date().timeIntervalSince(begun), 5)
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
    XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(begun), 0.04)
  }

  /// A waiter on a queue is still on that queue after the wait.
  func testWaitOnQueue() {
    let queue = DispatchQueue(label: "waits")
    queue.sync {
      let never = XCTestExpectation(description: "never")
      never.isInverted = true
      XCTAssertEqual(XCTWaiter.wait(for: [never], timeout: 0.01), .completed)
      dispatchPrecondition(condition: .onQueue(queue))
    }
  }

  /// The expectation is fulfilled before the wait or during it.
  func testWaitForever() {
    let answer = expectation(description: "answer")
    DispatchQueue.global().async { answer.fulfill() }
    DispatchQueue.main.async {}
    wait(for: [answer], timeout: .infinity)
  }

  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Enqueues all tasks on the main actor, as a test helper for serial executors does.
  func testSerialExecutor() async throws {
    let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook")
    let hook = try XCTUnwrap(symbol).assumingMemoryBound(to: Hook?.self)
    hook.pointee = { job, _ in MainActor.shared.enqueue(job) }
    defer { hook.pointee = nil }
    await Task.yield()
    try await Task.sleep(for: .milliseconds(10))
    XCTAssertTrue({ Thread.isMainThread }())
  }

  /// A child process of the same executable must behave as the test expects.
  func testOwnProcess() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["WatchedTests.XCAsTheyAre/testInvertedExpectation"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertTrue(output.contains("Executed 1 test, with 0 failures"), output)
    XCTAssertFalse(output.contains("explore"), output)
  }

  func testSkipped() throws { throw XCTSkip("not here") }

  func testTimer() {
    let fired = expectation(description: "fired")
    let timer = Timer(timeInterval: 0.01, repeats: false) { _ in fired.fulfill() }
    RunLoop.main.add(timer, forMode: .default)
    wait(for: [fired], timeout: 5)
  }

  func testPredicate() {
    let isSo = NSPredicate { _, _ in true }
    let both = [
      expectation(for: isSo, evaluatedWith: nil),
      XCTNSPredicateExpectation(predicate: isSo, object: nil),
    ]
    wait(for: both, timeout: 5)
  }

  func testMeasure() { measure { calls = 1 } }
}

/// A test of XCTest with more threads at once than an exploration has stacks: in its first order,
/// no thread runs before the test waits.
final class XCManyThreads: XCTestCase {
  func testThreads() {
    for _ in 0..<12_000 { Thread.detachNewThread {} }
  }
}

/// A class with work before and after each of its tests.
final class XCSurrounds: XCTestCase {
  @TaskLocal static var isSurrounded = false

  override func invokeTest() {
    Self.$isSurrounded.withValue(true) { super.invokeTest() }
  }

  private static func isSurroundedInTask() async -> Bool {
    await Task { isSurrounded }.value
  }

  func testLocalValue() async {
    XCTAssertTrue(Self.isSurrounded)
    let isInTask = await Self.isSurroundedInTask()
    XCTAssertTrue(isInTask)
  }
}

/// A test of XCTest that explores a body.
final class XCExplores: XCTestCase {
  func testAssertion() async throws {
    try await explore {
      let purse = Purse()
      Task { await purse.take(80) }
      for _ in 0..<3 { await Task.yield() }
      let coins = await purse.coins
      XCTAssertEqual(coins, 20, "the task is late")
    }
  }
}

/// Tests of XCTest that request exploration.
final class XCExplored: ExploredTestCase {
  override var options: [ExploreOption] { [.budget(.seconds(5))] }

  func testRight() async {
    let purse = Purse()
    async let one: Void = purse.take(80)
    async let other: Void = purse.take(80)
    _ = await (one, other)
    let coins = await purse.coins
    XCTAssertEqual(coins, 20)
  }

  func testSkipped() throws { throw XCTSkip("not here") }

  func testMeasure() { measure {} }

  func testWrong() async {
    let purse = Purse()
    Task { await purse.take(80) }
    for _ in 0..<20 { await Task.yield() }
    let coins = await purse.coins
    XCTAssertEqual(coins, 20, "the task is late")
  }
}
