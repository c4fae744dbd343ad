import Explorer
import Findings
import Interlock
import Testing

/// What an exploration came to, and what a report says besides.
struct Answer: Sendable {
  var outcome: ExplorationOutcome
  var notes: [Exploration.Note] = []
  var isReplay = false
  /// The file that keeps the failing order for the next run.
  var corpusFile: String?
  /// Orders in which each time is exact passed before.
  var onlyLateTimes = false

  /// Something waited for a time, or may have, and no time was late.
  var leavesOutLateTimes: Bool {
    switch outcome {
    case .allOrdersPass(_, _, let limits): limits.hasExactTime
    case .sampled: true
    case .failed: false
    }
  }

  /// The result, as the summary of the tests has it.
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

/// The place that reports name: a call of `explore`, or a test.
struct ExploredPlace {
  /// At the end of a line.
  let text: String
  let module: String
  /// Where an issue is recorded: of a test of XCTest, read from the debug information.
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

/// Prints or records what an exploration came to. `replay` is the call that replays a failure.
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
      // The test library's time contains the waiting.
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
    // `hunt` shows the schedule and the token when the tests have ended.
    let text =
      TestsAsTheyAre.areHunted
      ? failure.summary : failure.report + "\nreplay: \(replay(failure.token))"
    recordIssue(
      late + text, at: sourceLocation,
      knownBecause: noteForReports(failure, at: sourceLocation), isWarning: answer.onlyLateTimes)
  }
}

/// What is known once all orders have been tried. Code that synchronises by itself takes part of
/// the claim away, and so does memory that is not checked: no order shows its races.
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

/// What the machine code of this build may not show.
#if DEBUG
private let unseen = ""
#else
// Its loads and stores are plain instructions, and without a box nothing refers to its type.
private let unseen = ", and an atomic on a thread's stack may not be seen in optimised code"
#endif

/// Runs tests that link InterlockMemory so that their memory is checked.
let memoryCommand = "'swift test -Xswiftc -Xfrontend -Xswiftc -sanitize=thread'"

private func seconds(_ time: Duration) -> String {
  let tenths = Int((time / .milliseconds(100)).rounded())
  if tenths == 0 { return "\(Int((time / .milliseconds(1)).rounded(.up))) ms" }
  return "\(tenths / 10).\(tenths % 10) s"
}

private func orders(_ count: Int) -> String { "\(count) order\(count == 1 ? "" : "s")" }

/// A whole number of percent that promises neither nothing nor all.
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
