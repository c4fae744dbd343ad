import CInterlockExplorer
import Explorer
import Foundation
import TestSupport
import Testing

/// Several processes that explore at once.
@Suite(.controlled, .offThePool) struct JobsTests {
  private func orders(_ exploration: Exploration) -> Int {
    exploration.executions - exploration.cut
  }

  @Test(
    "several processes together run as many orders as a single one",
    arguments: ["program-94", "program-100", "program-29"], [2, 5])
  func sum(_ body: String, _ jobs: Int) throws {
    let limits = ["--search", "dpor", "--executions", "100000"]
    let alone = try Exploration(body, options: limits)
    let together = try Exploration(body, options: limits + ["--jobs", "\(jobs)"])
    #expect(alone.isComplete && together.isComplete)
    #expect(orders(alone) > 250)
    #expect(orders(together) == orders(alone))
    #expect(together.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(together.escaped == "")
  }

  @Test(
    "the shards of a search together have all its outcomes",
    arguments: ["program-69", "awaited-signal", "async-let", "files-11-28", "files-21-27"])
  func outcomes(_ body: String) throws {
    let limits = ["--search", "dpor", "--executions", "100000", "--keep-going"]
    let alone = try Exploration(body, options: limits)
    let parts = try (0..<3).map {
      try Exploration(body, options: limits + ["--shards", "3", "--shard", "\($0)"])
    }
    #expect(alone.isComplete && parts.map(\.isComplete) == [true, true, true])
    #expect(Set(parts.flatMap(\.outcomes)) == Set(alone.outcomes))
  }

  @Test("the orders of tasks are the same for any number of processes")
  func tasks() throws {
    let found = try [2, 3, 16].map {
      try Exploration(
        "async-let", "--search", "dpor", "--executions", "100000", "--jobs", "\($0)")
    }
    #expect(found.map(\.isComplete) == [true, true, true])
    #expect(Set(found.map(orders)).count == 1, "\(found.map(orders))")
  }

  @Test("processes that share a limit of orders run no more, and do not claim completeness")
  func limit() throws {
    let few = try Exploration(
      "program-29", "--search", "dpor", "--executions", "500", "--jobs", "3")
    #expect(!few.isComplete && few.failures == 0)
    // Each of the two other processes may be in the middle of an order.
    #expect((500...502).contains(orders(few)))
  }

  @Test("processes that sample share the number of orders", arguments: [2, 3, 7])
  func sampled(_ jobs: Int) throws {
    let found = try Exploration(
      "program-29", "--search", "random", "--executions", "1000", "--jobs", "\(jobs)")
    #expect(found.failures == 0 && found.executions == 1000)
  }

  @Test(
    "an order that ends its process is a finding, whichever process runs it", arguments: [2, 3])
  func dies(_ jobs: Int) throws {
    let found = try Exploration(
      "scribble-in-third", "--search", "random", "--executions", "100", "--jobs", "\(jobs)")
    #expect(found.status == 0)
    #expect(found.verdict == INTERLOCK_EXPLORED_CRASHED)
    #expect(found.failures == 1)
  }
}

/// Explorations that divide their orders among processes, as their users see them.
@Suite(.controlled, .offThePool) struct SpreadExplorationTests {
  private final class List: @unchecked Sendable {
    // Unchecked: the lock protects the numbers.
    private let lock = NSLock()
    private(set) var numbers: [Int] = []

    func append(_ number: Int) { lock.withLock { numbers.append(number) } }
  }

  /// Three blocks append their number three times each: 1,680 orders.
  private static func appended() -> [Int] {
    let list = List()
    let group = DispatchGroup()
    for number in 0..<3 {
      DispatchQueue.global().async(group: group) { for _ in 0..<3 { list.append(number) } }
    }
    group.wait()
    return list.numbers
  }

  private func options(
    _ jobs: Int?, _ strategy: ExplorationOptions.Strategy = .everyOrder, executions: Int? = nil
  ) -> ExplorationOptions {
    var options = ExplorationOptions()
    // More time than any of them needs, even on a busy machine.
    options.seconds = 3600
    options.jobs = jobs
    options.strategy = strategy
    options.executions = executions
    return options
  }

  private func explore(
    _ options: ExplorationOptions, _ body: @escaping () -> Bool
  ) throws -> (outcome: ExplorationOutcome, notes: [Explorer.Exploration.Note]) {
    var notes: [Explorer.Exploration.Note] = []
    let outcome = try Explorer.Exploration(options, of: "appended").run(body) { notes.append($0) }
    return (outcome, notes)
  }

  private func explore(_ jobs: Int?, _ body: @escaping () -> Bool) throws -> ExplorationOutcome {
    try explore(options(jobs), body).outcome
  }

  private func failure(_ outcome: ExplorationOutcome) throws -> ExplorationFailure {
    try #require(outcome.failure, "\(outcome)")
  }

  @Test("several processes pass all orders, as many as one process", arguments: [2, 4])
  func passes(_ jobs: Int) throws {
    let alone = try explore(nil) { Self.appended().count == 9 }
    let together = try explore(jobs) { Self.appended().count == 9 }
    #expect(together == alone)
    guard case .allOrdersPass(let count, _, _) = alone else {
      Issue.record("\(alone)")
      return
    }
    #expect(count > 250)
  }

  @Test("a failure of one order has the token that one process finds, and the token replays")
  func token() throws {
    // This order is neither the first nor the last of a search.
    let body = { Self.appended() != [2, 0, 0, 0, 1, 2, 1, 1, 2] }
    let alone = try failure(try explore(nil, body))
    #expect(alone.execution > 250)
    let two = try failure(try explore(2, body))
    let three = try failure(try explore(3, body))
    #expect(two.token == alone.token && three.token == alone.token)
    #expect(two.execution == three.execution && two.verdict == .failed)
    let again = try Explorer.Exploration(ExplorationOptions(), of: "appended")
      .replay(two.token, body)
    let replayed = try failure(again).schedule
    #expect(replayed.steps.map(\.thread) == two.schedule.steps.map(\.thread))
  }

  @Test("of several failures, the same one is shown whatever the number of processes")
  func firstFailure() throws {
    let body = { !Self.appended().starts(with: [2, 2, 1]) }
    let tokens = try [2, 2, 3, 5].map { try failure(try explore($0, body)).token }
    #expect(Set(tokens).count == 1, "\(tokens)")
  }

  @Test("an order that ends its process is found, and is tried again in a process of its own")
  func dies() throws {
    let outcome = try explore(2) {
      if Self.appended() == [2, 0, 0, 0, 1, 2, 1, 1, 2] { raise(SIGKILL) }
      return true
    }
    let failure = try failure(outcome)
    #expect(failure.verdict == .crashed(signal: Int(SIGKILL)))
    #expect(failure.repetition == .fails && !failure.schedule.steps.isEmpty)
  }

  @Test("several processes together sample as many orders as requested")
  func sampled() throws {
    let (outcome, notes) = try explore(options(2, .random, executions: 1000)) {
      Self.appended().count == 9
    }
    #expect(outcome == .sampled(count: 1000, leftBehind: 0, escaped: []))
    let estimates = notes.compactMap { if case .estimate(let found) = $0 { found } else { nil } }
    let distinct = try #require(estimates.first).distinct
    // Each of the processes has drawn 375 orders.
    #expect(distinct > 375)
  }

  @Test("a failure that sampling finds is the same each time")
  func sampledFailure() throws {
    let found = try (0..<2).map { _ in
      let (outcome, _) = try explore(options(3, .pos)) {
        Self.appended() != [2, 0, 0, 0, 1, 2, 1, 1, 2]
      }
      return try failure(outcome)
    }
    #expect(found[0].execution > 250)
    #expect(found[0].token == found[1].token && found[0].execution == found[1].execution)
  }

  @Test(
    "a search that cannot be divided stays in one process, and a note says so",
    arguments: [
      (ExplorationOptions.Strategy.depthFirst(preemptions: 1), "depth-first search has no parts"),
      (.roundRobin, "the strategy has no parts"),
    ])
  func inOneProcess(_ strategy: ExplorationOptions.Strategy, _ reason: String) throws {
    let (outcome, notes) = try explore(options(2, strategy, executions: 300)) {
      Self.appended().count == 9
    }
    if case .failed = outcome { Issue.record("\(outcome)") }
    let reasons = notes.compactMap { if case .oneProcess(let found) = $0 { found } else { nil } }
    #expect(reasons == [reason])
  }
}
