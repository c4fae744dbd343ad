import Dispatch
import Foundation
import XCTest

/// Tests of XCTest that hang. Each marks the lines that its report must show, with its name.
final class XCHangs: XCTestCase {
  func testRelock() {
    let lock = NSLock()
    lock.lock()
    lock.lock()  // testRelock: asks again
  }

  func testSemaphoresInTasks() async {
    let first = DispatchSemaphore(value: 0)
    let tasks = (0..<64).map { _ in Task { block(at: first) } }
    Task { first.signal() }
    for task in tasks { await task.value }
  }

  func testNeverResumed() async {
    await withCheckedContinuation { keep($0) }  // testNeverResumed: waits
  }

  func testActorBlocked() async {
    let gate = Gate()
    async let entered: Void = gate.enter()
    await gate.waitUntilEntered()
    await gate.open()  // testActorBlocked: waits
    await entered
  }

  func testTasksCrossed() async {
    await crossTasks()
  }

  func testThrowingGroupCrossed() async {
    await crossThrowingGroup()
  }

  func testExpectation() async {
    let never = expectation(description: "a reply")
    await fulfillment(of: [never], timeout: 60)
  }

  func testExpectationBlocking() {
    let never = expectation(description: "a reply")
    wait(for: [never], timeout: 60)
  }
}

/// Tests of a class other than the class that declares them, or of its extension.
class XCBase: XCTestCase {
  func testInherited() async {
    await withCheckedContinuation { keep($0) }  // testInherited: waits
  }
}

final class XCInheriting: XCBase {}

extension XCInheriting {
  func testInExtension() async throws {
    await withCheckedContinuation { keep($0) }  // testInExtension: waits
  }
}

/// Correct tests of XCTest. Each takes longer than a second, in which little happens.
final class XCQuiet: XCTestCase {
  func testSleeps() async throws {
    try await Task.sleep(for: .milliseconds(1_500))
  }

  func testExpectationLate() async {
    let late = expectation(description: "a reply")
    DispatchQueue.global().asyncAfter(deadline: .now() + 1.5) { late.fulfill() }
    await fulfillment(of: [late], timeout: 60)
  }

  func testRunLoopTimer() {
    let late = expectation(description: "twenty ticks")
    nonisolated(unsafe) var ticks = 0
    let timer = Timer(timeInterval: 0.1, repeats: true) { _ in
      ticks += 1
      if ticks == 20 { late.fulfill() }
    }
    RunLoop.current.add(timer, forMode: .default)
    wait(for: [late], timeout: 60)
    timer.invalidate()
  }

  func testThreadAnswers() async {
    let answer = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        usleep(1_500_000)
        continuation.resume(returning: 42)
      }
    }
    XCTAssertEqual(answer, 42)
  }
}

/// A test of XCTest that leaves a lock locked.
final class XCLeft: XCTestCase {
  func testLeftLocked() { leaveLocked() }
}
