import CInterlockExplorer
import TestSupport
import Testing

/// The number of executions that the search needs for bodies of tasks, and their outcomes.
@Suite(.serialized, .controlled, .offThePool) struct TaskOrderTests {
  private func reduced(_ body: String, _ options: String...) throws -> Exploration {
    try Exploration(
      body, options: ["--search", "dpor", "--pool-width", "0", "--executions", "100000"] + options)
  }

  private static func factorial(_ count: Int) -> Int { (1...count).reduce(1, *) }

  @Test("tasks that share nothing have one order", arguments: [2, 3, 4])
  func independent(_ count: Int) throws {
    for body in ["empty-group", "empty-tasks", "equal-sleeps", "equal-sleeps-in-group"] {
      let exploration = try reduced("\(body)-\(count)")
      #expect(exploration.isComplete, "\(body)")
      #expect(exploration.executions == 1, "\(body)")
      #expect(!exploration.tasksBlock, "\(body)")
    }
  }

  @Test("tasks that take an actor once each have all permutations as orders", arguments: [2, 3, 4])
  func once(_ count: Int) throws {
    for body in ["group-actor-call", "main-actor-calls", "group-main-actor", "group-results"] {
      let exploration = try reduced("\(body)-\(count)")
      #expect(exploration.isComplete, "\(body)")
      #expect(exploration.executions == Self.factorial(count), "\(body)")
      #expect(!exploration.tasksBlock, "\(body)")
      #expect(exploration.outcomes.count == Self.factorial(count), "\(body)")
    }
  }

  /// Two calls by each of n tasks have (2 n)! / 2ⁿ orders.
  @Test(
    "tasks with two turns each on an actor have as many orders as interleavings",
    arguments: [2, 3, 4])
  func twice(_ count: Int) throws {
    let interleavings = Self.factorial(2 * count) >> count
    for body in ["actor-calls-\(count)x2", "actor-yield-\(count)"] {
      let exploration = try reduced(body)
      #expect(exploration.isComplete, "\(body)")
      #expect(exploration.executions == interleavings, "\(body)")
      #expect(!exploration.tasksBlock, "\(body)")
      #expect(exploration.outcomes.count == interleavings, "\(body)")
    }
  }

  @Test("the step from behind a lock to the main actor is a separate choice")
  func behindLock() throws {
    let exploration = try reduced("main-actor-after-lock")
    #expect(exploration.isComplete)
    #expect(exploration.outcomes == ["ab-ab", "ab-ba", "ba-ab", "ba-ba"])
    #expect(exploration.executions == 4)
  }
}
