import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct DataSourceTests {
  private func search(_ body: String, _ strategy: String = "dpor") throws -> Exploration {
    try Exploration(
      body, "--search", strategy, "--executions", "100000", "--pool-width", "0")
  }

  @Test(
    "a source of user data calls its handler for the data, in its turn, once it is resumed",
    arguments: [
      "data-source-signals", "data-source-without-data", "data-source-suspended",
      "data-source-handlers-overlap",
    ])
  func correct(_ body: String) throws {
    let exploration = try search(body)
    #expect(exploration.isComplete && exploration.failures == 0)
    #expect(exploration.escaped == "")
  }

  @Test(
    "each order of merged data and the handler is seen, and no other",
    arguments: [
      ("data-source-adds", ["12", "21", "3"]), ("data-source-ors", ["1", "13", "3"]),
      ("data-source-replaces", ["1", "12", "2"]), ("data-source-cancelled", ["cB", "hcB"]),
    ])
  func orders(_ body: String, _ expected: [String]) throws {
    for strategy in ["dpor", "dfs"] {
      let exploration = try search(body, strategy)
      #expect(exploration.isComplete && exploration.failures == 0)
      #expect(exploration.outcomes == expected)
    }
  }

  @Test("data of a source that is never resumed wake no thread, and an over-resume is misuse")
  func failures() throws {
    #expect(try search("data-source-never-resumed").verdict == INTERLOCK_EXPLORED_DEADLOCK)
    #expect(try search("over-resumed-data-source").verdict == INTERLOCK_EXPLORED_MISUSE)
  }

  @Test(
    "calls on a source of the system's events reach libdispatch, and the answer names the source",
    arguments: [
      ("read-source", INTERLOCK_EXPLORED_PASSED),
      ("read-source-signals", INTERLOCK_EXPLORED_DEADLOCK),
      ("read-source-signals-in-time", INTERLOCK_EXPLORED_PASSED),
    ])
  func outside(_ body: String, _ verdict: interlock_explored_verdict) throws {
    let exploration = try Exploration(body, "--executions", "3")
    #expect(exploration.verdict == verdict)
    #expect(exploration.escaped.contains("a dispatch source that is no timer"))
  }
}
