import Explorer
import Findings
import Interlock
import Testing

/// The result of an exploration, and the notes for its report.
struct Answer: Sendable {
  var outcome: ExplorationOutcome
  var notes: [Exploration.Note] = []
  var isReplay = false
  /// The corpus file that keeps the failing order for the next run.
  var corpusFile: String?
  /// True if the orders with exact times passed before.
  var onlyLateTimes = false

  /// True if the body waited for a time, or may have, and no time ended late.
  var leavesOutLateTimes: Bool {
    switch outcome {
    case .allOrdersPass(_, _, let limits): limits.hasExactTime
    case .sampled: true
    case .failed: false
    }
  }

  /// The result in the form of the tests' summary.
  func exploredCase(
    _ test: String, at place: ExploredPlace, line: (_ token: String) -> String
  ) -> ExploredTests.Case {
    var tested = ExploredTests.Case(test: test, place: place.text, result: .everyOrder)
    switch outcome {
    case .allOrdersPass(let count, _, _): tested.orders = count
    case .sampled(let count, _, _, _):
      tested.result = .someOrders
      tested.orders = count
    case .failed(let failure):
      tested.result = onlyLateTimes ? .failedLate : .failed
      tested.orders = failure.execution
      tested.failure = ExploredTests.Failure(
        report: failure.report, token: failure.token, line: line(failure.token),
        corpus: corpusFile)
    }
    return tested
  }
}

/// The place that reports name: the call of `explore`, or the test.
struct ExploredPlace {
  /// The text at the end of a line.
  let text: String
  let module: String
  /// The location at which an issue is recorded. For an XCTest test it is read from debug
  /// information.
  let location: () -> SourceLocation

  init(_ location: SourceLocation) {
    text = "\(location.fileName):\(location.line)"
    module = location.moduleName
    self.location = { location }
  }

  init(_ text: String, in module: String, at location: @escaping () -> SourceLocation) {
    self.text = text
    self.module = module
    self.location = location
  }
}

/// Prints or records the result of an exploration. `replay` returns the call that replays a
/// failure.
func report(
  _ answer: Answer, _ explored: ExploredPlace,
  replay: (String) -> String = { "explore(replay: \"\($0)\")" }
) {
  let place = explored.text
  var reached = ""
  var limits = ""
  var sources = ""
  for note in answer.notes {
    switch note {
    case .estimate(let estimate):
      reached =
        "; about \(percent(estimate.share)) of what this sampling can reach (Good-Turing estimate)"
    case .sources(let lines):
      for line in lines { sources += "\n  most orders: \(line)" }
    case .corpus(let problem): print("explore: \(problem)  \(place)")
    case .repaired(let count):
      let verbs = count == 1 ? ("passes", "is") : ("pass", "are")
      print(
        "explore: \(orders(count)) of an earlier run \(verbs.0) now, and \(verbs.1) no longer kept"
          + "  \(place)")
    case .orderUnknown(let reason):
      limits += "; races of sections that do not overlap are NOT decided: \(reason)"
    case .oneProcess(let reason): limits += "; in one process: \(reason)"
    case .ownProcesses:
      limits += "; each order in a process of its own: the body leaves state behind"
    case .time(let own, let waited):
      // The test's own time includes the waiting.
      limits += "; took \(seconds(own))"
      if waited >= .milliseconds(100) { limits += " and waited \(seconds(waited)) for other tests" }
    case .facts: break
    }
  }
  switch answer.outcome {
  case .allOrdersPass(let count, let leftBehind, let model):
    let leftOut = model.words.map { "; " + $0 }.joined()
    print(
      "explore: \(claim(count, inModule: explored.module))\(leftOut)"
        + "\(stillBlocked(leftBehind))\(limits)  \(place)")
  case .sampled(_, let leftBehind, let escaped, _) where answer.isReplay:
    print(
      "explore: the token's schedule passes\(doors(escaped))\(stillBlocked(leftBehind))  \(place)")
  case .sampled(let count, let leftBehind, let escaped, let bound):
    let others = bound.map { "; \($0.description) are among them" } ?? ""
    print(
      "explore: \(orders(count)) tried, none failed\(others); not all were tried\(reached)"
        + "\(doors(escaped))"
        + "\(stillBlocked(leftBehind))\(limits)  \(place)\(sources)")
  case .failed(let failure):
    let late = answer.onlyLateTimes ? "only where a sleep or a limit of time ends late: " : ""
    let sourceLocation = explored.location()
    // `interlock hunt` shows the schedule and the token after the tests have ended.
    let text =
      TestsAsTheyAre.areHunted
      ? failure.summary : failure.report + "\nreplay: \(replay(failure.token))"
    recordIssue(
      late + text, at: sourceLocation,
      knownBecause: noteForReports(failure, at: sourceLocation), isWarning: answer.onlyLateTimes)
  }
}

/// The claim that holds once all orders have been tried. It excludes code with its own
/// synchronisation, and unchecked memory, since no order shows races there.
private func claim(_ count: Int, inModule module: String) -> String {
  let uncontrolled = Exploration.uncontrolledCode(inModule: module)
  let unchecked =
    MemoryRaceLog.isFed
    ? "" : "; accesses of memory are not checked in this build (see InterlockMemory)\(unseen)"
  let isBoth = uncontrolled != nil && !unchecked.isEmpty
  let command = isBoth ? "; to control both: \(memoryCommand)" : ""
  let all = count == 1 ? "the only order" : "all \(orders(count))"
  let calls = uncontrolled == nil ? "" : " of the controlled calls"
  let limit = uncontrolled.map { "; NOT controlled here: \($0)" } ?? ""
  return "\(all)\(calls) \(count == 1 ? "passes" : "pass")\(limit)\(unchecked)\(command)"
}

/// What a build's machine code may hide from exploration.
#if DEBUG
private let unseen = ""
#else
// An atomic on the stack may be accessed by plain instructions in optimised code, and without a box
// no code refers to its type.
private let unseen = ", and an atomic on a thread's stack may not be seen in optimised code"
#endif

/// The command that runs tests with memory checks, for targets that link InterlockMemory.
let memoryCommand = "'swift test -Xswiftc -Xfrontend -Xswiftc -sanitize=thread'"

private func seconds(_ time: Duration) -> String {
  let tenths = Int((time / .milliseconds(100)).rounded())
  if tenths == 0 { return "\(Int((time / .milliseconds(1)).rounded(.up))) ms" }
  return "\(tenths / 10).\(tenths % 10) s"
}

private func orders(_ count: Int) -> String { "\(count) order\(count == 1 ? "" : "s")" }

/// A whole percentage that is never rounded to 0 or 100.
private func percent(_ share: Double) -> String {
  if share < 0.01 { return "less than 1 %" }
  if share >= 0.995 { return "more than 99 %" }
  return "\(Int((share * 100).rounded())) %"
}

private func doors(_ escaped: [String]) -> String {
  escaped.isEmpty ? "" : "; not controlled: " + escaped.joined(separator: ", ")
}

private func stillBlocked(_ count: Int) -> String {
  count == 0
    ? "" : "; threads were still blocked when the body returned: \(count) in all executions"
}
