import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct TaskTests {
  @Test(
    "each order in which tasks can run is seen, and no other",
    arguments: [
      ("actor-order", ["abc", "acb", "bac", "bca", "cab", "cba"]),
      ("group-results", ["ab", "ba"]),
      ("stream-keeps-newest", ["12", "2"]),
      ("cancellation", ["cancelled", "not cancelled"]),
      ("child-cancellation", ["cancelled", "not cancelled"]),
      ("priorities", ["hl", "lh"]),
    ])
  func orders(_ body: String, _ expected: [String]) throws {
    let exploration = try Exploration(body)
    #expect(exploration.failures == 0)
    #expect(exploration.outcomes == expected)
  }

  @Test("partial order reduction finds each order of a cancellation handler, and finishes")
  func cancellationHandler() throws {
    let all = try Exploration(
      "cancellation-handler", "--search", "dfs", "--pool-width", "4", "--executions", "100000")
    let reduced = try Exploration(
      "cancellation-handler", "--search", "dpor", "--pool-width", "4", "--executions", "100000")
    #expect(reduced.isComplete)
    #expect(all.isComplete)
    #expect(reduced.outcomes == all.outcomes)
    // The handler runs before, between, within or after the steps of the task.
    #expect(Set(all.outcomes).isSuperset(of: ["hHwe", "hwHe", "whHe", "we"]))
  }

  @Test(
    "an update that is lost across an await is found",
    arguments: ["actor-reentrancy", "main-actor-reentrancy"])
  func reentrancy(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_FAILED)
    #expect(exploration.failures == 1)
  }

  @Test("a continuation that is never resumed in one order is found")
  func lostContinuation() throws {
    let exploration = try Exploration("lost-continuation")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(exploration.dryPoolWidth == 0)
  }

  @Test(
    "a correct program of tasks passes in each of 1,000 executions",
    arguments: [
      "actor-reentrancy-repaired", "main-actor", "async-let", "kept-continuation",
      "continuation-from-queue", "stream", "sleeps-of-hours", "yields",
      "blocked-tasks",
    ])
  func correct(_ body: String) throws {
    let exploration = try Exploration(body)
    #expect(exploration.executions == 1000)
    #expect(exploration.failures == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.leftBehind == 0)
    #expect(exploration.escaped == "")
  }

  @Test("tasks that block their threads need as many threads as there are tasks")
  func blockedTasks() throws {
    let narrow = try Exploration("blocked-tasks", "--pool-width", "1")
    #expect(narrow.verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(narrow.dryPoolWidth == 1)
    let wide = try Exploration("blocked-tasks", "--pool-width", "2")
    #expect(wide.executions == 1000)
    #expect(wide.failures == 0)
  }

  @Test(
    "a pool with room for all tasks takes no order away",
    arguments: [("four-tasks-one-lock", 24), ("two-yields", 1)])
  func wide(_ body: String, _ outcomes: Int) throws {
    let wide = try Exploration(
      body, "--search", "dpor", "--pool-width", "0", "--executions", "100000")
    #expect(wide.isComplete)
    #expect(wide.outcomes.count == outcomes)
    #expect(wide.executions <= outcomes)
    #expect(!wide.tasksBlock)
  }

  @Test("the result notes a task that blocks its thread to wait for another task")
  func blocking() throws {
    #expect(try Exploration("blocked-tasks", "--pool-width", "0").tasksBlock)
    #expect(try !Exploration("async-let", "--pool-width", "0").tasksBlock)
  }

  @Test(
    "a choice of tasks is replayed",
    arguments: ["actor-reentrancy", "lost-continuation", "main-actor-reentrancy"])
  func replay(_ body: String) throws {
    let found = try Exploration(body)
    let replayed = try Exploration(body, "--replay", found.choices, "--facts", found.facts)
    #expect(replayed.verdict == found.verdict)
    #expect(replayed.hash == found.hash)
  }
}
