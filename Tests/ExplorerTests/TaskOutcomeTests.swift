import CInterlockExplorer
import TestSupport
import Testing

/// The outcomes that a finished search must have seen.
@Suite(.serialized, .controlled, .offThePool) struct TaskOutcomeTests {
  private func expect(_ body: String, _ outcomes: Set<String>) throws {
    let exploration = try Exploration(
      body, "--search", "dpor", "--pool-width", "0", "--executions", "100000")
    #expect(exploration.isComplete && exploration.escaped.isEmpty, "\(body)")
    #expect(Set(exploration.outcomes) == outcomes, "\(body)")
  }

  @Test(
    "each read of a stream by a function of a sequence is a step",
    arguments: [
      ("stream-loop", ["12", "2"]), ("stream-reduce", ["12", "2"]), ("stream-map", ["12", "2"]),
      ("stream-first", ["1", "2"]), ("stream-generic", ["12", "2"]), ("stream-reduce-all", ["12"]),
    ])
  func streams(_ body: String, _ outcomes: [String]) throws { try expect(body, Set(outcomes)) }

  @Test(
    "each read of a group by a function of a sequence is a step",
    arguments: [("group-reduce", ["12", "21"]), ("group-first", ["1", "2"])])
  func groups(_ body: String, _ outcomes: [String]) throws { try expect(body, Set(outcomes)) }

  @Test(
    "a sleep may end before the cancellation of its task, which then continues after it",
    arguments: ["debounced", "debounced-with-tolerance"])
  func sleeps(_ body: String) throws { try expect(body, ["b", "ab", "ba"]) }

  @Test(
    "the answer names the escalation of a priority, which the explorer does not perform",
    arguments: ["priority", "escalation-handler"])
  func escalation(_ body: String) throws {
    let exploration = try Exploration(body, "--search", "dpor")
    #expect(exploration.escaped == "the escalation of a task's priority")
  }

  @Test(
    "each call that cancels, tests or ends something is a step",
    arguments: [
      ("let-left", ["cancelled", "not"]), ("let-left-in-stream", ["ended"]),
      ("stream-handler", ["handled", "unhandled"]), ("stream-result", ["1", "2"]),
      ("discarding-group-cancelled", ["cancelled", "not"]),
      ("discarding-group-empty", ["empty", "not"]),
      ("added-unless-cancelled", ["aa", "ar", "rr"]),
      ("passed-limits", ["---", "--m", "-s-", "-sm", "g--", "g-m", "gs-", "gsm"]),
    ])
  func calls(_ body: String, _ outcomes: [String]) throws { try expect(body, Set(outcomes)) }

  @Test(
    "a weak reference is loaded before or after the last release of its object",
    arguments: [
      ("weak-reference", ["gone", "there"]), ("weak-reference-in-task", ["gone", "there"]),
      ("kept-weak-reference", ["there"]),
    ])
  func references(_ body: String, _ outcomes: [String]) throws { try expect(body, Set(outcomes)) }

  @Test("an unowned reference that is loaded after the last release ends the process")
  func unownedReference() throws {
    let exploration = try Exploration("unowned-reference", "--isolated", "--search", "dpor")
    #expect(exploration.verdict == INTERLOCK_EXPLORED_CRASHED)
  }

  @Test("a cancellation comes before or after the operation that its handler belongs to")
  func handlers() throws {
    try expect("cancelled-handled", ["-false", "handler-true", "handler-false"])
    try expect("cancelled-behind-mutex", ["o", "oh", "ho"])
  }
}
