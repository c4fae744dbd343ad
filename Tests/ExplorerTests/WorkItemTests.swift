import CInterlockExplorer
import TestSupport
import Testing

@Suite(.serialized, .controlled, .offThePool) struct WorkItemTests {
  private func search(_ body: String) throws -> Exploration {
    try Exploration(
      body, "--search", "dpor", "--executions", "100000", "--pool-width", "0")
  }

  @Test(
    "an item has run once its block was called, by a queue or by the user's code",
    arguments: [
      "work-item-performed", "work-item-cancelled-and-performed", "work-item-performed-elsewhere",
      "work-item-performs-another", "work-item-waited-for-after-time-out", "work-item-run-twice",
    ])
  func correct(_ body: String) throws {
    let exploration = try search(body)
    #expect(exploration.isComplete && exploration.failures == 0)
    #expect(exploration.escaped == "")
  }

  @Test("a wait for an item that no thread runs is a deadlock")
  func deadlock() throws {
    let exploration = try search("work-item-not-performed")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_DEADLOCK)
  }

  @Test(
    "each outcome of an item that races with a call on it is seen",
    arguments: [
      ("work-item-performed-or-not", ["success", "timedOut"]),
      ("work-item-synced-or-cancelled", ["cancelled", "ran"]),
    ])
  func outcomes(_ body: String, _ expected: [String]) throws {
    let exploration = try search(body)
    #expect(exploration.isComplete && exploration.failures == 0)
    #expect(exploration.outcomes == expected)
  }

  @Test(
    "a call on an item at which libdispatch traps is misuse",
    arguments: [
      ("work-item-waited-for-twice", "waited for more than once"),
      ("work-item-waited-for-by-two", "waited for more than once"),
      ("work-item-waited-for-by-two-or-in-turn", "waited for more than once"),
      ("work-item-run-twice-and-waited-for", "run more than once and waited for"),
      ("work-item-performed-twice-and-waited-for", "run more than once and waited for"),
      ("work-item-run-after-wait", "run more than once and waited for"),
      ("work-item-run-twice-and-notified", "run more than once and has a notification"),
    ])
  func misuse(_ body: String, _ text: String) throws {
    let exploration = try search(body)
    #expect(exploration.verdict == INTERLOCK_EXPLORED_MISUSE)
    #expect(exploration.text == "a work item is \(text): libdispatch traps")
  }
}
