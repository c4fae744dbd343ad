import CInterlockExplorer
import TestSupport
import Testing

/// The strategies with the real engine; other tests run them with a model.
@Suite(.serialized, .controlled, .offThePool) struct SearchTests {
  @Test("three threads that lock three times have 1,680 orders that matter, none of them cut off")
  func lockOrders() throws {
    let exploration = try Exploration("lock-3x3", "--search", "dpor", "--executions", "10000")
    #expect(exploration.isComplete)
    #expect(exploration.executions == 1680)
    #expect(exploration.cut == 0)
    #expect(exploration.failures == 0)
  }

  @Test(
    "partial order reduction sees every outcome that depth-first search sees, in fewer executions",
    arguments: [
      "try-lock", "timed-lock", "timed-wait", "semaphore-limit", "signal-wakes-any",
      "two-wait-without-loop",
      "spin-lock", "once-order", "suspended-concurrent", "inactive-concurrent",
    ])
  func outcomes(_ body: String) throws {
    let all = try Exploration(body, "--search", "dfs", "--executions", "200000")
    let reduced = try Exploration(body, "--search", "dpor", "--executions", "200000")
    #expect(all.isComplete)
    #expect(reduced.isComplete)
    #expect(reduced.outcomes == all.outcomes)
    #expect(reduced.outcomes.count > 1)
    #expect(reduced.executions < all.executions)
  }

  @Test(
    "partial order reduction and depth-first search both find a failure, or neither does",
    arguments: [
      "lost-update", "kept-update", "crossed-locks", "ordered-locks", "lost-signal",
      "awaited-signal", "flag-outside-lock", "crossed-initialisers", "upgraded-read",
      "semaphore-lost-update", "semaphore-kept-update", "wait-without-loop", "wait-in-loop",
      "never-signalled",
    ])
  func failures(_ body: String) throws {
    let all = try Exploration(
      body, "--search", "dfs", "--executions", "200000", "--keep-going")
    let reduced = try Exploration(
      body, "--search", "dpor", "--executions", "200000", "--keep-going")
    #expect(all.isComplete)
    #expect(reduced.isComplete)
    #expect((reduced.failures > 0) == (all.failures > 0))
  }

  @Test(
    "the result names the bound on wake-ups without a signal if a thread waits again after one",
    arguments: [("wait-in-loop", true), ("wait-without-loop", false), ("lost-update", false)])
  func wakeUps(_ body: String, _ isBounded: Bool) throws {
    let exploration = try Exploration(body, "--search", "dpor", "--keep-going")
    #expect(exploration.isComplete)
    #expect(exploration.boundsWakeUps == isBounded)
  }
}
