import CInterlockExplorer
import Testing

/// What the test child found when it explored a body.
struct Exploration {
  /// The exit code of the child, or the negated number of the signal that ended it.
  let status: Int32
  private let lines: [String: String]

  init(
    _ body: String, _ options: String..., limit: Double = 240,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    try self.init(body, options: options, limit: limit, at: location)
  }

  init(
    _ body: String, options: [String], limit: Double = 240,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let child = try TestChild([body] + options, limit: limit, at: location)
    status = child.status
    lines = child.facts
    #expect(lines["verdict"] != nil, "the child printed nothing", sourceLocation: location)
  }

  private func number(_ name: String) -> Int { lines[name].flatMap { Int($0) } ?? -1 }

  var executions: Int { number("executions") }
  var failures: Int { number("failures") }
  var steps: Int { number("steps") }
  /// The number of times that the engine checked whether a thread can take a step.
  var looks: Int { number("looks") }
  /// The largest number of threads, blocks and tasks in progress at once.
  var stacks: Int { number("stacks") }
  var leftBehind: Int { number("left") }
  var isComplete: Bool { lines["complete"] == "true" }
  var cut: Int { number("cut") }
  /// True if the search held back a loop that waits for a time.
  var boundsSleeps: Bool { lines["bounds-sleeps"] == "true" }
  var boundsWakeUps: Bool { lines["bounds-wake-ups"] == "true" }
  /// True if a task blocked its thread.
  var tasksBlock: Bool { lines["tasks-block"] == "true" }
  var stillBlocked: Int { number("blocked") }
  var acquisitions: Int { number("acquisitions") }
  var unanswered: Int { number("unanswered") }
  var unreleased: Int { number("unreleased") }
  var eventErrors: Int { number("errors") }
  /// The width of the pool whose workers all wait while blocks need a worker; 0 for none.
  var dryPoolWidth: Int { number("dry") }
  var seconds: Double { Double(number("nanoseconds")) / 1e9 }
  var signal: Int32 { Int32(number("signal")) }
  var verdict: interlock_explored_verdict {
    interlock_explored_verdict(rawValue: UInt32(max(number("verdict"), 0)))
  }
  var text: String { lines["text"] ?? "" }
  var hash: String { lines["hash"] ?? "" }
  /// What the executions have shown, as a replay needs it.
  var facts: String { lines["facts"] ?? "" }
  var choices: String { lines["choices"] ?? "" }
  var escaped: String { lines["escaped"] ?? "" }
  /// How the two sides of a race were seen, and where they are.
  var race: String { lines["race"] ?? "" }
  var outcomes: [String] {
    (lines["outcomes"] ?? "").split(separator: "; ").map(String.init)
  }
}
