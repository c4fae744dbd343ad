import Foundation
import Interlock
import InterlockTesting
import Testing

/// A counter whose `add` marks its access, with or without a lock.
final class Counter: Sendable {
  private let section = Section("counter")
  private let lock = NSLock()
  nonisolated(unsafe) private var value = 0

  func add() {
    section.write { value += 1 }  // adds
  }

  func addLocked() { lock.withLock { add() } }
}

/// Two callers take two locks in two orders, each after the other caller has its first lock.
final class Crossed: Sendable {
  private let locks = [NSLock(), NSLock()]
  private let taken = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]

  func take(_ first: Int) {
    locks[first].withLock {
      taken[first].signal()
      taken[1 - first].wait()
      locks[1 - first].withLock {}  // crosses
    }
  }
}

struct Refused: Error {}

/// Tests that stress.
struct Stressed {
  @Test(arguments: StressCallers.allCases) func conflict(_ kind: StressCallers) async throws {
    try await stress(Counter(), callers: 4, rounds: 500, by: kind) { counter, _ in counter.add() }
  }

  @Test(arguments: StressCallers.allCases) func locked(_ kind: StressCallers) async throws {
    try await stress(Counter(), callers: 4, rounds: 50, by: kind) { counter, _ in
      counter.addLocked()
    }
  }

  @Test func throwsError() async throws {
    try await stress(Counter(), callers: 2, rounds: 50) { _, caller in
      if caller.round == 3 { throw Refused() }
    }
  }

  @Test func expects() async throws {
    try await stress(Counter(), callers: 2, rounds: 50) { _, caller in
      #expect(caller.round < 3)  // expects
    }
  }

  @Test func known() async throws {
    await withKnownIssue {
      try await stress(Counter(), callers: 4, rounds: 500) { counter, _ in counter.add() }
    }
  }

  @Test(.interlock) func watched() async throws {
    try await stress(Counter(), callers: 4, rounds: 500) { counter, _ in counter.add() }
  }

  @Test func nested() async throws {
    try await stress(Counter(), callers: 1, rounds: 1) { counter, _ in
      try await stress(counter, callers: 1, rounds: 1) { _, _ in }
    }
  }

  @Test func hangs() async throws {
    try await stress(Crossed(), callers: 2, rounds: 100) { crossed, caller in
      crossed.take(caller.index)
    }
  }

  @Test func draws() async throws {
    let drawn = Drawn()
    try await stress(drawn, callers: 3, rounds: 4) { drawn, caller in
      drawn.add("\(caller): \(caller.random(in: 0..<1_000_000)) \(caller.random(in: 5..<6))")
    }
    print("drawn: \(drawn.text)")
    Issue.record("to see the replay")
  }
}

/// Collects lines from several callers.
final class Drawn: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }

  var text: String { lock.withLock { lines.sorted().joined(separator: "; ") } }
}
