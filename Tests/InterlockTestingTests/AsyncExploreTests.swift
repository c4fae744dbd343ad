import Foundation
import InterlockTesting
import Synchronization
import TestSupport
import Testing

/// An account whose update reads, awaits and writes: another call may run in between.
private actor Account {
  private(set) var balance: Int

  init(balance: Int) { self.balance = balance }

  func withdrawAfterCheck(_ amount: Int) async -> Bool {
    guard balance >= amount else { return false }
    await Task.yield()
    balance -= amount
    return true
  }

  func withdraw(_ amount: Int) async -> Bool {
    await Task.yield()
    guard balance >= amount else { return false }
    balance -= amount
    return true
  }
}

private enum Local {
  @TaskLocal static var number = 0
}

@MainActor private final class Screen {
  private(set) var updates = 0

  func updateAcrossAwait() async {
    let old = updates
    await Task.yield()
    updates = old + 1
  }

  func update() { updates += 1 }
}

/// A result that one caller awaits and another caller delivers.
private final class Promise: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Int, Never>)
    case given(Int)
  }

  private let lock = NSLock()
  nonisolated(unsafe) private var state = State.empty

  func value() async -> Int {
    await withCheckedContinuation { continuation in
      let given = lock.withLock { () -> Int? in
        if case .given(let value) = state { return value }
        state = .waiting(continuation)
        return nil
      }
      if let given { continuation.resume(returning: given) }
    }
  }

  func give(_ value: Int) {
    let waiting = lock.withLock { () -> CheckedContinuation<Int, Never>? in
      defer { state = .given(value) }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume(returning: value)
  }

  /// Checks the state and keeps the continuation in two critical sections.
  func valueInSteps() async -> Int {
    if case .given(let value) = lock.withLock({ state }) { return value }
    return await withCheckedContinuation { continuation in
      lock.withLock { state = .waiting(continuation) }
    }
  }
}

/// A count of steps that loses a step in some order.
private actor Steps {
  var count = 0

  func before() -> Int { count }

  func addAfterYield() async {
    await Task.yield()
    count += 1
  }

  func set(_ new: Int) async {
    await Task.yield()
    count = new
  }
}

@Suite("explore with tasks", .serialized, .controlled)
struct AsyncExploreTests {
  @Test("the row of a yield has the line of the yield")
  func yields() async throws {
    let text = try #require(
      await failure(ofAsync: {
        let steps = Steps()
        async let first: Void = steps.addAfterYield()
        async let second: Void = steps.set(5)
        _ = await (first, second)
        let count = await steps.count
        #expect(count == 6)
      }))
    let yields = text.split(separator: "\n").filter { $0.contains("yield") }
    #expect(yields.contains { $0.hasSuffix("AsyncExploreTests.swift:91") }, "\(text)")
    #expect(yields.contains { $0.hasSuffix("AsyncExploreTests.swift:96") }, "\(text)")
  }

  @Test(
    "a check before an await and an act after it overdraw an account in some order",
    arguments: [1, 2, 3])
  func checkThenAct(_ width: Int) async throws {
    let body: @Sendable () async -> Void = {
      let account = Account(balance: 100)
      async let first = account.withdrawAfterCheck(80)
      async let second = account.withdrawAfterCheck(80)
      _ = await (first, second)
      let balance = await account.balance
      #expect(balance >= 0)
    }
    let text = try #require(await failure(.poolWidth(width), ofAsync: body))
    #expect(text.hasPrefix("Expectation failed: (balance → -60) >= 0\nthe body failed"))
    #expect(text.contains("✘ AsyncExploreTests.swift:"))
    let replayed = await failure(replay: try token(in: text), ofAsync: body)
    #expect(replayed?.contains("balance → -60") == true)
  }

  @Test("a check and an act without an await between pass every order", arguments: [1, 2, 3])
  func checkAndAct(_ width: Int) async throws {
    try await explore(.poolWidth(width)) {
      let account = Account(balance: 100)
      async let first = account.withdraw(80)
      async let second = account.withdraw(80)
      _ = await (first, second)
      let balance = await account.balance
      #expect(balance == 20)
    }
  }

  @Test("an update of the main actor's state across an await is lost in some order")
  func mainActor() async throws {
    let text = await failure(ofAsync: {
      let screen = Screen()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await screen.updateAcrossAwait() } }
      }
      let updates = await screen.updates
      #expect(updates == 2)
    })
    #expect(text?.contains("updates → 1") == true)
  }

  @Test("an update of the main actor's state without an await passes every order")
  func mainActorRepaired() async throws {
    try await explore {
      let screen = Screen()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await screen.update() } }
      }
      let updates = await screen.updates
      #expect(updates == 2)
    }
  }

  @Test("a continuation that is kept too late is never resumed in some order")
  func lostContinuation() async throws {
    let text = await failure(ofAsync: {
      let promise = Promise()
      let waiter = Task { await promise.valueInSteps() }
      Task { promise.give(7) }
      _ = await waiter.value
    })
    let report = try #require(text)
    #expect(report.contains("deadlock"))
    #expect(report.contains("no thread can continue:"))
    #expect(report.contains("waits: await continuation"))
  }

  @Test("a continuation that is kept in time is resumed in every order")
  func keptContinuation() async throws {
    try await explore {
      let promise = Promise()
      let waiter = Task { await promise.value() }
      Task { promise.give(7) }
      let value = await waiter.value
      #expect(value == 7)
    }
  }

  @Test("a task that is cancelled as it completes is explored with both of its outcomes")
  func cancellation() async throws {
    let outcomes = Outcomes()
    try await explore {
      let task = Task { () -> Bool in
        do {
          try await Task.sleep(for: .seconds(3600))
          return true
        } catch { return false }
      }
      let canceller = Task { task.cancel() }
      let slept = await task.value
      await canceller.value
      outcomes.note(slept ? "slept" : "cancelled")
    }
    #expect(outcomes.all.contains("cancelled"))
  }

  @Test("a detached task has no task-local value of the body, and other tasks have it")
  func locals() async throws {
    try await explore {
      await Local.$number.withValue(5) {
        #expect(await Task.detached { Local.number }.value == 0)
        #expect(await Task { Local.number }.value == 5)
      }
      let (detached, inheriting) = Local.$number.withValue(6) {
        (Task.detached { Local.number }, Task { Local.number })
      }
      #expect(await detached.value == 0)
      #expect(await inheriting.value == 6)
    }
  }

  @Test("an expectation that fails in a detached task fails the order")
  func detached() async throws {
    let text = await failure(ofAsync: {
      let account = Account(balance: 1)
      let reader = Task.detached {
        let balance = await account.balance
        #expect(balance == 1)
      }
      _ = await account.withdraw(1)
      await reader.value
    })
    #expect(text?.hasPrefix("Expectation failed: (balance → 0) == 1") == true)
  }

  @Test("an error that the body throws fails the order")
  func throwing() async throws {
    struct Broken: Error {}
    let text = await failure(ofAsync: { throw Broken() })
    #expect(text?.hasPrefix("the body threw: Broken()") == true)
  }

  @Test("a known issue in the body is the body's own, and passes")
  func knownIssue() async throws {
    let text = await failure(
      .executions(1),
      ofAsync: {
        withKnownIssue("the body's own") { #expect(Bool(false)) }
      })
    #expect(text == nil)
  }
}

/// The outcomes of executions, which run one after another.
private final class Outcomes: Sendable {
  private let noted = Mutex<Set<String>>([])
  func note(_ text: String) { noted.withLock { _ = $0.insert(text) } }
  var all: Set<String> { noted.withLock { $0 } }
}
