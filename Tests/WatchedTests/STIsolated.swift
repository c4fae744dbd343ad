import Foundation
import InterlockTesting
import Testing

/// Tests that stress in a child process.
@Suite(.interlock(hangLimit: .seconds(2))) struct Isolated {
  @Test func crashes() async throws {
    try await stress([1, 2, 3], callers: 2, rounds: 5, isolation: .process) { numbers, caller in
      if caller.round == 3 { _ = numbers[numbers.count + caller.index] }  // traps
    }
  }

  @Test func hangs() async throws {
    try await stress(Crossed(), callers: 2, rounds: 100, isolation: .process) { crossed, caller in
      crossed.take(caller.index)
    }
    print("after the hang")
  }

  @Test(arguments: [1, 2]) func conflict(_ number: Int) async throws {
    try await stress(Counter(), callers: 4, rounds: 500 * number, isolation: .process) {
      counter, _ in
      if number == 2 { counter.add() } else { counter.addLocked() }
    }
  }

  @Test func expects() async throws {
    try await stress(Counter(), callers: 2, rounds: 50, isolation: .process) { _, caller in
      #expect(caller.round < 3)  // expects in a child
    }
  }

  @Test func exits() async throws {
    try await stress(1, callers: 2, rounds: 5, isolation: .process) { _, _ in exit(7) }
  }

  @Test func twoCalls() async throws {
    try await stress(1, callers: 2, rounds: 3, isolation: .process) { _, _ in }
    try await stress(1, callers: 2, rounds: 4, isolation: .process) { _, caller in
      if caller.round == 2 { throw Refused() }
    }
  }

  /// Waits for a computing child for longer than the hang limit.
  @Test func lasts() async throws {
    try await stress(1, callers: 1, rounds: 1, isolation: .process) { _, _ in
      let end = ContinuousClock.now + .seconds(3)
      while ContinuousClock.now < end {}
    }
  }

  @Test func known() async {
    await withKnownIssue {
      try await stress(1, callers: 1, rounds: 1, isolation: .process) { _, _ in abort() }
    }
  }
}
