import Interlock
import InterlockTesting
import XCTest

/// Tests of XCTest, watched.
final class XCWatched: InterlockTestCase {
  func testConflict() { Meeting("of testConflict").onThreads() }

  func testQuiet() { Section("of testQuiet").write {} }
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
