import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct TimeTests {
  private func search(_ body: String, _ strategy: String = "dpor") throws -> Exploration {
    try Exploration(
      body, "--search", strategy, "--executions", "200000", "--pool-width", "0")
  }

  @Test(
    "a sleep, a delay or a timer may end before and after any step of other threads",
    arguments: [
      ("usleep-as-join", ["0", "1"]),
      ("thread-sleep-as-join", ["0", "1"]),
      ("hours-as-join", ["0", "1"]),
      ("task-sleep-as-join", ["0", "1"]),
      ("delay-as-order", ["AL", "LA"]),
      ("shorter-sleep-first", ["12", "21"]),
      ("earlier-timer-first", ["12", "21"]),
      ("delayed-beyond-the-end", ["1", "10", "11"]),
      ("three-tries", ["done", "gave up"]),
      ("sleep-and-clock", ["0", "1", "2", "3"]),
    ])
  func lowerBound(_ body: String, _ outcomes: [String]) throws {
    for strategy in ["dpor", "dfs"] {
      let exploration = try search(body, strategy)
      #expect(exploration.isComplete)
      #expect(!exploration.boundsSleeps)
      #expect(exploration.outcomes == outcomes)
    }
  }

  @Test("a join repairs an order by sleep, and leaves one order, which passes")
  func joined() throws {
    let exploration = try search("joined-after-sleep")
    #expect(exploration.isComplete)
    #expect(exploration.executions == 1)
    #expect(exploration.failures == 0)
  }

  @Test("sleeps that no thread can observe have one order")
  func unobserved() throws {
    let exploration = try search("sleeps-that-order-nothing")
    #expect(exploration.isComplete)
    #expect(exploration.executions == 1)
  }

  @Test(
    "a loop that sleeps has finitely many orders, and the result says that it was held back",
    arguments: ["polling-sleep", "two-polling-sleeps", "polling-task-sleep", "repeating-timer"])
  func heldBack(_ body: String) throws {
    let exploration = try search(body)
    #expect(exploration.isComplete)
    #expect(exploration.boundsSleeps)
    #expect(exploration.failures == 0)
  }

  @Test(
    "exact times end in their order, and only when no thread can continue",
    arguments: [
      ("sleeps", ["AB"]), ("shorter-sleep-first", ["12"]), ("usleep-as-join", ["1"]),
      ("timed-wait", ["signalled"]), ("same-instant", ["AB", "BA"]), ("timers-in-turn", []),
      ("debounce", []), ("cancelled-sleep", []), ("timer-with-slow-handler", []),
    ])
  func exact(_ body: String, _ outcomes: [String]) throws {
    let exploration = try Exploration(body, "--exact-time", "--pool-width", "0")
    #expect(exploration.failures == 0)
    #expect(exploration.outcomes == outcomes)
  }

  @Test(
    "an execution does not depend on the addresses of its objects",
    arguments: ["sleeps-handler-stream", "actors-one-after-another", "objects-one-after-another"],
    ["0", "2"])
  func memoryThatIsUsedAgain(_ body: String, _ width: String) throws {
    let exploration = try Exploration(
      body, "--check", "200", "--executions", "200", "--pool-width", width)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_PASSED)
    #expect(exploration.text == "")
    #expect(exploration.executions == 200)
  }
}
