import Interlock
import InterlockTesting
import XCTest

/// Watched tests of XCTest.
final class XCWatched: InterlockTestCase {
  func testConflict() { Meeting("of testConflict").onThreads() }

  func testQuiet() { Section("of testQuiet").write {} }
}

/// A test of XCTest that leaves a task behind, and a test that does not.
final class XCLeaving: InterlockTestCase {
  override var leaks: InterlockTrait.Leaks {
    .fail(grace: name.hasSuffix("testLeaves") ? .zero : .seconds(120))
  }

  func testLeaves() {
    let (_, source) = AsyncStream.makeStream(of: Int.self)
    let arrived = DispatchSemaphore(value: 0)
    Task {  // leaves a task of XCTest
      arrived.signal()
      try? await Task.sleep(for: .seconds(3600))
    }
    arrived.wait()
    source.finish()
  }

  func testStays() { Task { await Task.yield() } }

  private static let lock = NSLock()

  func testLeavesALock() {
    Self.lock.lock()  // leaves a lock of XCTest
  }

  func testUnlocks() {
    Self.lock.lock()
    Self.lock.unlock()
  }
}

/// Tests of XCTest that stress.
final class XCStressed: XCTestCase {
  func testStress() async throws {
    try await stress(Counter(), callers: 4, rounds: 500) { counter, _ in counter.add() }
  }

  func testThrows() async throws {
    try await stress(Counter(), callers: 2, rounds: 50) { _, caller in
      if caller.round == 3 { throw Refused() }
    }
  }

  func testQuietStress() async throws {
    try await stress(Counter(), callers: 4, rounds: 50) { counter, _ in counter.addLocked() }
  }
}

/// Tests of XCTest that stress in a child process.
final class XCIsolated: XCTestCase {
  func testCrash() async throws {
    try await stress(1, callers: 2, rounds: 5, isolation: .process) { _, _ in
      fatalError("crashed on purpose")  // crashes in XCTest
    }
  }

  func testConflict() async throws {
    try await stress(Counter(), callers: 4, rounds: 500, isolation: .process) { counter, _ in
      counter.add()
    }
  }
}
