import CMarks
import Foundation
import InterlockTesting
import MemoryTestC
import Synchronization
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

  @Test(.interlock) func blocks() {
    let users = Users()
    let group = DispatchGroup()
    for _ in 0..<2 { DispatchQueue.global().async(group: group) { users.add() } }
    group.wait()
  }

  @Test(.interlock) func locked() {
    let users = Users()
    onTwoThreads { users.addLocked() }
  }
}

/// Two tests that run at the same time; each makes one of the accesses.
@Suite struct Shared {
  @Test(.interlock) func first() async { await Sides.add(turn: 0, of: 2) }
  @Test(.interlock) func second() async { await Sides.add(turn: 1, of: 2) }
}

/// Two tests that run while threads race that belong to neither test.
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

/// Tests with one racy body, which run one after the other.
@Suite(.serialized) struct Repeated {
  @Test(.interlock) func known() { withKnownIssue { race() } }

  @Test(.interlock) func plain() { race() }

  @Test(.interlock) func twice() {
    race()
    race()
  }

  @Test func stressed() async throws {
    try await stress(Users(), callers: 2, rounds: 50) { users, _ in users.add() }
  }

  private func race() {
    let users = Users()
    onTwoThreads { users.add() }
  }
}

/// Tests with the racy body at the same time: each race comes while both cases run.
@Suite struct RepeatedAtOnce {
  @Test(.interlock, arguments: 0..<2) func races(_ number: Int) async {
    await Crowd.arrive()
    let users = Users()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { users.add() } }
    }
    await Crowd.arrive()
  }
}

/// One thread passes a change to another thread by C code that is compiled without the
/// option.
@Suite(.serialized) struct HandedOver {
  @Test(.interlock) func watched() { handOver(Users()) }
  @Test func unwatched() { handOver(Users()) }

  /// Code of that kind runs, but cannot order these accesses, which race.
  @Test(.interlock) func beside() {
    let users = Users()
    handOver(Users())
    onTwoThreads { users.addAgain() }
    handOver(Users())
  }

  @Test func explored() throws {
    try explore(.executions(20)) { handOver(Users()) }
  }

  private func handOver(_ users: Users) {
    nonisolated(unsafe) let flag = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    flag.initialize(to: 0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      users.add()
      memory_test_give(flag)
      done.signal()
    }
    while !memory_test_is_given(flag) { sched_yield() }
    users.add()
    done.wait()
    flag.deallocate()
  }
}

/// Outside of tests with the trait, a race belongs to the process.
@Suite(.serialized) struct UnwatchedTwice {
  @Test func first() { race() }
  @Test func second() { race() }

  private func race() {
    let users = Users()
    onTwoThreads { users.add() }
  }
}

/// Beside the user's atomic load, Interlock makes an atomic load at each section.
@Suite(.serialized) struct ExploredSeam {
  @Test func loads() throws {
    try explore {
      let flag = Atomic(false)
      onTwoThreads {
        _ = interlock_get_explored_sections()
        if !flag.load(ordering: .acquiring) { flag.store(true, ordering: .releasing) }
      }
      Issue.record("the schedule is shown")
    }
  }
}

/// Explored bodies that race, each on different lines.
@Suite(.serialized) struct ExploredRaces {
  @Test func first() async throws {
    try await explore {  // explores first
      let users = Users()
      async let one: Void = users.add()
      async let other: Void = users.add()
      _ = await (one, other)
    }
  }

  @Test(.interlock) func second() async throws {
    try await explore {  // explores second
      let users = Users()
      async let one: Void = users.addAgain()
      async let other: Void = users.addAgain()
      _ = await (one, other)
    }
  }

  @Test func sameLine() throws {
    try explore {  // explores the same line
      let users = Users()
      onTwoThreads { users.add() }
    }
  }

  @Test(.interlock) func locked() throws {
    try explore {
      let users = Users()
      onTwoThreads { users.addLocked() }
    }
  }

  /// Accesses before, between, in and after two explorations, all of which are ordered.
  @Test(.interlock) func around() throws {
    let users = Users()
    users.add()
    for _ in 0..<2 {
      try explore(.executions(20)) {
        users.add()
        onTwoThreads { users.addLocked() }
        users.add()
      }
      users.add()
    }
  }

  /// The token of a race replays the race.
  @Test func replayed() throws {
    let token = Token()
    for _ in 0..<2 {
      try withKnownIssue {
        try explore(replay: token.text) {
          let users = Users()
          onTwoThreads { users.add() }
        }
      } matching: { issue in
        token.read(issue.comments.map(\.rawValue).joined())
      }
    }
  }

  @Test func quiet() {}
}
