import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct TimerSourceTests {
  private func search(_ body: String, _ strategy: String) throws -> Exploration {
    try Exploration(
      body, "--search", strategy, "--executions", "200000", "--pool-width", "0")
  }

  @Test(
    "a timer's handlers run one at a time, in their turn, and not while the timer is suspended",
    arguments: [
      "timer-overlap", "timer-cancel-overlap", "timer-behind-block", "timer-suspended",
    ])
  func inTurn(_ body: String) throws {
    let exploration = try search(body, "dpor")
    #expect(exploration.isComplete)
    #expect(exploration.executions > 1)
    #expect(exploration.failures == 0)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
  }

  @Test("the handlers of two timers run at once on a concurrent queue")
  func twoTimers() throws {
    let exploration = try search("two-timers-overlap", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_FAILED)
  }

  @Test(
    "each order of a timer's handlers and the blocks of its queue is seen, and no other",
    arguments: [
      ("timer-cancel-in-queue", ["Bc", "Bhc", "cB", "hBc", "hcB"]),
      ("timer-cancel-before-block", ["Bc", "cB", "hcB"]),
      ("repeating-timer-cancel-before-block", ["Bc", "cB", "hBc", "hcB"]),
      ("unset-timer-cancel-before-block", ["cB"]),
      ("timer-cancel-before-activation", ["AcB"]),
      ("timer-suspended-between-blocks", ["LSh", "LhS", "hLS"]),
      ("timer-cancelled-while-suspended", ["Bhcx", "Bhxc", "Bxc", "hBxc", "hcBx"]),
      (
        "timer-resumed-and-cancelled",
        ["hxBc", "hxcB", "xBc", "xBhc", "xcB", "xhBc", "xhcB"]
      ),
      ("timer-set-again", ["S", "hS"]),
      ("timer-handler-replaced", ["1", "2"]),
    ])
  func orders(_ body: String, _ expected: [String]) throws {
    for strategy in ["dpor", "dfs"] {
      let exploration = try search(body, strategy)
      #expect(exploration.isComplete)
      #expect(exploration.failures == 0)
      #expect(exploration.outcomes == expected)
    }
  }
}
