import InterlockTesting
import Testing

/// Explored bodies with a race, whose accesses become points.
@Suite(.serialized) struct ExploredUpdates {
  /// A number that threads read and write. Unchecked: the accesses are unordered on purpose.
  final class Box: @unchecked Sendable {
    var value = 0
  }

  @Test func lost() throws {
    try explore {
      let users = Users()
      onTwoThreads { users.add() }
      #expect(users.total == 2)
    }
  }

  @Test func sampled() throws {
    try explore(.strategy(.random)) {
      let users = Users()
      onTwoThreads { users.add() }
      #expect(users.total == 2)
    }
  }

  @Test func lostByTasks() async throws {
    try await explore {
      let users = Users()
      async let one: Void = users.add()
      async let other: Void = users.add()
      _ = await (one, other)
      #expect(users.total == 2)
    }
  }

  @Test func repaired() throws {
    try explore {
      let users = Users()
      onTwoThreads { users.addLocked() }
      #expect(users.total == 2)
    }
  }

  /// One of two threads holds the lock.
  @Test func halfLocked() throws {
    try explore {
      let users = Users()
      onThreads([{ users.addLocked() }, { users.add() }])
      #expect(users.total == 2)
    }
  }

  @Test func isolated() throws {
    try explore(.isolated) {
      let users = Users()
      onTwoThreads { users.add() }
      #expect(users.total == 2)
    }
  }

  @Test func isolatedRepaired() throws {
    try explore(.isolated) {
      let users = Users()
      onTwoThreads { users.addLocked() }
      #expect(users.total == 2)
    }
  }

  /// The token replays the order.
  @Test func replayed() throws {
    let token = Token()
    for _ in 0..<2 {
      try withKnownIssue {
        try explore(replay: token.text) {
          let users = Users()
          onTwoThreads { users.add() }
          #expect(users.total == 2)
        }
      } matching: { issue in
        token.read(issue.comments.map(\.rawValue).joined())
      }
    }
  }

  @Test func oneReader() throws {
    try explore {
      let box = Box()
      onThreads([{ box.value = 1 }, { _ = read(box) }])
      #expect(box.value == 1)
    }
  }

  @Test func twoReaders() throws {
    try explore {
      let box = Box()
      onThreads([{ box.value = 1 }, { _ = read(box) }, { _ = read(box) }])
      #expect(box.value == 1)
    }
  }
}

@inline(never)
private func read(_ box: ExploredUpdates.Box) -> Int { box.value }
