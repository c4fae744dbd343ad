import CInterlockExplorer
import TestSupport
import Testing

/// Custom executors: the explorer controls their code and the jobs that it runs.
@Suite(.serialized, .controlled, .offThePool) struct ExecutorTests {
  @Test(
    "an update that is lost across an await on a custom executor is found",
    arguments: [
      "queue-executor-reentrancy", "queue-executor-await", "thread-executor-reentrancy",
      "pool-executor-reentrancy", "pool-executor-async-let-reentrancy",
    ])
  func lostUpdate(_ body: String) throws {
    let found = try Exploration(body, "--search", "dpor", "--executions", "20000")
    #expect(found.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(found.failures == 1)
    let replayed = try Exploration(body, "--replay", found.choices, "--facts", found.facts)
    #expect(replayed.verdict == found.verdict)
    #expect(replayed.hash == found.hash)
  }

  @Test(
    "an update without an await on a custom executor passes every order",
    arguments: ["queue-executor", "thread-executor", "pool-executor"])
  func keptUpdate(_ body: String) throws {
    let finished = try Exploration(body, "--search", "dpor", "--executions", "20000")
    #expect(finished.isComplete)
    #expect(finished.failures == 0)
    #expect(finished.cut == 0)
    #expect(finished.escaped == "")
  }

  /// The executor's thread takes the job before the call that makes the task returns.
  @Test(
    "a task that ends before the call that makes it returns passes every order",
    arguments: [
      "thread-executor-tasks", "late-signal-executor-tasks", "late-signal-executor-group",
    ])
  func earlyTask(_ body: String) throws {
    let finished = try Exploration(body, "--search", "dpor", "--executions", "20000")
    #expect(finished.isComplete)
    #expect(finished.failures == 0, "\(finished.text)")
    #expect(finished.escaped == "")
    let sampled = try Exploration(body, "--executions", "5000")
    #expect(sampled.failures == 0, "\(sampled.text)")
    #expect(sampled.escaped == "")
  }

  @Test(
    "an async let on a custom executor is seen in every order",
    arguments: [
      ("pool-executor-async-let", []),
      ("pool-executor-async-let-order", ["ab", "ba"]),
      ("pool-executor-async-let-cancelled", ["pc", "pr", "rp"]),
      ("thread-executor-async-let-order", ["ab"]),
      ("late-signal-executor-async-let-order", ["ab"]),
    ])
  func asyncLet(_ body: String, _ outcomes: [String]) throws {
    let reduced = try Exploration(
      body, "--search", "dpor", "--executions", "20000", "--pool-width", "0")
    #expect(reduced.isComplete)
    #expect(reduced.failures == 0, "\(reduced.text)")
    #expect(reduced.escaped == "")
    #expect(reduced.outcomes == outcomes)
    let sampled = try Exploration(body, "--executions", "5000")
    #expect(sampled.failures == 0, "\(sampled.text)")
    #expect(sampled.escaped == "")
    #expect(sampled.outcomes == outcomes)
  }

  @Test(
    "a search that leaves out orders sees every outcome on a custom executor",
    arguments: [
      ("queue-executor-order", ["abc", "acb", "bac", "bca", "cab", "cba"]),
      ("queue-executor-await-order", ["aow", "oaw", "owa"]),
    ])
  func outcomes(_ body: String, _ expected: [String]) throws {
    let all = try Exploration(body, "--executions", "5000")
    #expect(all.outcomes == expected)
    let reduced = try Exploration(body, "--search", "dpor", "--executions", "20000")
    #expect(reduced.isComplete)
    #expect(reduced.outcomes == expected)
  }

  @Test(
    "the result names what the explorer does not see of a custom executor's tasks",
    arguments: [("inline-executor", "an executor that runs a new task at once")])
  func escaped(_ body: String, _ name: String) throws {
    let exploration = try Exploration(body, "--executions", "200")
    #expect(exploration.failures == 0)
    #expect(exploration.executions == 200)
    #expect(exploration.escaped.hasPrefix(name))
  }
}
