import Foundation
import InterlockTesting
import Synchronization
import TestSupport
import Testing

/// Adds and reads under the lock, each step by itself: a transfer is two steps.
private final class Bank: @unchecked Sendable {
  // Unchecked: `lock` protects the balances.
  private let lock = NSLock()
  private var balances: [Int]

  init(accounts: Int) { balances = Array(repeating: 100, count: accounts) }

  var total: Int { lock.withLock { balances.reduce(0, +) } }

  /// Reads and writes in two critical sections: an update between them is lost.
  func transferInSteps(_ amount: Int, from: Int, to: Int) {
    let (old, other) = lock.withLock { (balances[from], balances[to]) }
    lock.withLock { balances[from] = old - amount }
    lock.withLock { balances[to] = other + amount }
  }

  func transfer(_ amount: Int, from: Int, to: Int) {
    lock.withLock {
      balances[from] -= amount
      balances[to] += amount
    }
  }
}

@Suite("explore", .serialized, .controlled)
struct ExploreTests {
  @Test("a transfer in one critical section keeps the sum in every order")
  func passes() throws {
    try explore {
      let bank = Bank(accounts: 2)
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) { bank.transfer(1, from: 0, to: 1) }
      }
      group.wait()
      #expect(bank.total == 200)
    }
  }

  @Test("a transfer in two critical sections loses an update in some order")
  func lostUpdate() throws {
    try withKnownIssue {
      try explore {
        let bank = Bank(accounts: 2)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { bank.transferInSteps(1, from: 0, to: 1) }
        DispatchQueue.global().async(group: group) { bank.transferInSteps(5, from: 1, to: 0) }
        group.wait()
        #expect(bank.total == 200)
      }
    } matching: { issue in
      "\(issue)".contains("replay: explore(replay:")
    }
  }
}

@Suite("explore finds", .serialized, .controlled)
struct ExploreFindsTests {
  private func crossLocks() {
    let first = NSLock()
    let second = NSLock()
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { first.withLock { second.withLock {} } }
    DispatchQueue.global().async(group: group) { second.withLock { first.withLock {} } }
    group.wait()
  }

  @Test("two locks in two orders deadlock, with two threads that wait for each other's lock")
  func crossedLocks() throws {
    let text = try #require(failure(of: crossLocks))
    #expect(text.hasPrefix("deadlock (cycle) (order number "))
    #expect(text.contains("no thread can continue:"))
    #expect(text.contains("thread 1 waits: lock"))
    #expect(text.contains("thread 2 waits: lock"))
    #expect(text.contains("ExploreTests.swift:"))
  }

  @Test("a token replays the failure, and a cut token is refused in one line")
  func replay() throws {
    let given = try token(in: failure(of: crossLocks))
    #expect(failure(replay: given, of: crossLocks)?.contains("deadlock") == true)
    #expect(throws: ExploreError.self) { try explore(replay: String(given.dropLast(3))) {} }
    #expect(throws: ExploreError.self) { try explore(replay: given, function: "other()") {} }
  }

  @Test("a semaphore over async starves a pool of two and not one of three")
  func starvation() throws {
    func read() {
      let group = DispatchGroup()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          let done = DispatchSemaphore(value: 0)
          DispatchQueue.global().async { done.signal() }
          done.wait()
        }
      }
      group.wait()
    }
    #expect(failure(.poolWidth(2), of: read)?.contains("starvation") == true)
    #expect(failure(.poolWidth(3), of: read) == nil)
  }

  @Test("tasks that wait while they hold a lock starve a narrow pool")
  func lockAcrossAwait() async throws {
    let text = await failure(ofAsync: {
      let lock = NSLock()
      @Sendable func take() { lock.lock() }
      @Sendable func give() { lock.unlock() }
      @Sendable func work() async {
        take()
        await Task {}.value
        give()
      }
      async let one: Void = work()
      async let other: Void = work()
      _ = await (one, other)
    })
    #expect(text?.contains("starvation") == true)
  }

  @Test(
    "a value that no option allows is refused in one line",
    arguments: [
      .poolWidth(0), .budget(.zero), .executions(0), .strategy(.pct(depth: 0)),
      .strategy(.depthFirst(preemptions: -1)),
    ] as [ExploreOption])
  func refused(_ option: ExploreOption) {
    #expect(throws: ExploreError.self) { try explore(option) {} }
  }

  /// The failure report of a body that checks the number of its execution, from 1, by `isRight`.
  private func report(
    blocks: Int, expecting isRight: @escaping @Sendable (Int) -> Bool
  ) throws -> String {
    let executions = Atomic(0)
    return try withUnsafePointer(to: executions) { executions in
      nonisolated(unsafe) let executions = executions
      let text = failure(of: {
        let group = DispatchGroup()
        let lock = NSLock()
        for _ in 0..<blocks { DispatchQueue.global().async(group: group) { lock.withLock {} } }
        group.wait()
        #expect(isRight(executions.pointee.wrappingAdd(1, ordering: .relaxed).newValue))
      })
      return try #require(text)
    }
  }

  @Test("a failure that does not recur is still reported, with a schedule")
  func failsOnce() throws {
    let report = try report(blocks: 3) { $0 != 5 }
    #expect(report.contains("the same choices passed when they were tried again"))
    #expect(report.contains("ExploreTests.swift:"))
    #expect(!report.contains(/thread \d{3}/))
  }

  @Test("a body that fails only in its first execution, and leaves state behind, does not pass")
  func failsFirst() throws {
    let report = try report(blocks: 2) { $0 > 1 }
    #expect(report.contains("failed in its first execution, and after it all orders passed"))
    #expect(!report.contains("(order number"), "\(report)")
  }

  @Test("an explored body cannot explore")
  func nested() throws {
    #expect(failure(of: { try explore {} }) != nil)
  }
}
