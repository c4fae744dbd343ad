import InterlockTesting
import Testing

@Suite struct Checked {
  @Test(.interlock) func tasks() async {
    let users = Users()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { users.add() } }
    }
  }

  @Test(.interlock) func threads() {
    let users = Users()
    onTwoThreads { users.add() }
  }

  @Test(.interlock) func locked() {
    let users = Users()
    onTwoThreads { users.addLocked() }
  }
}

/// Two tests that run at once; each makes one of the accesses.
@Suite struct Shared {
  @Test(.interlock) func first() async { await Sides.add(turn: 0, of: 2) }
  @Test(.interlock) func second() async { await Sides.add(turn: 1, of: 2) }
}

/// Two tests that run while threads that belong to neither race.
@Suite struct Unowned {
  @Test(.interlock) func first() async throws { try await Outsiders.run() }
  @Test(.interlock) func second() async throws { try await Outsiders.run() }
}

@Suite struct Unwatched {
  @Test func threads() {
    let users = Users()
    onTwoThreads { users.add() }
  }
}

/// The pairs of a type without marks.
@Suite struct CheckedPairs {
  @Test func unlocked() async throws {
    try await checkSendable(of: Users(), budget: .seconds(60)) { check in
      check.operation("add") { $0.add() }
      check.operation("addLocked") { $0.addLocked() }
      check.operation("addAgain") { $0.add() }
    }
  }

  @Test func locked() async throws {
    try await checkSendable(of: Users(), budget: .seconds(60)) { check in
      check.operation("addLocked") { $0.addLocked() }
      check.operation("addLockedToo") { $0.addLocked() }
    }
  }
}
