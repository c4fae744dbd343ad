import Explorer
import Synchronization
import Testing

/// A body, and what failed in its last execution.
final class WatchedBody {
  private final class Failures: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let body: () throws -> Void
  private let failed = Failures()

  init(_ body: @escaping () throws -> Void) {
    self.body = body
  }

  /// What failed, a line each.
  var failures: [String] { failed.lines.withLock { $0 } }

  /// Executes the body once; returns whether nothing failed.
  ///
  /// A failed expectation becomes a known issue, since the executions that look for the shortest
  /// schedule fail again.
  func run() -> Bool {
    failed.lines.withLock { $0 = [] }
    // Throws only what does not match, and everything matches.
    try? withKnownIssue("in an explored order", isIntermittent: true) {
      try body()
    } matching: { [failed] issue in
      failed.lines.withLock { $0.append("\(issue)") }
      return true
    }
    return failures.isEmpty
  }
}

/// Records what an exploration came to.
func report(
  _ outcome: ExplorationOutcome, _ watched: WatchedBody, _ sourceLocation: SourceLocation
) {
  let place = "\(sourceLocation.fileName):\(sourceLocation.line)"
  switch outcome {
  case .allOrdersPass(let count, let leftBehind):
    print(
      "explore: \(claim(count, inModule: sourceLocation.moduleName))\(stillBlocked(leftBehind))"
        + "  \(place)")
  case .sampled(let count, let leftBehind, let escaped):
    let doors = escaped.isEmpty ? "" : "; not controlled: " + escaped.joined(separator: ", ")
    print(
      "explore: \(count) orders tried, none failed; not all were tried\(doors)"
        + "\(stillBlocked(leftBehind))  \(place)"
    )
  case .failed(let failure):
    let cause = failure.verdict == .failed ? watched.failures.joined(separator: "\n") + "\n" : ""
    Issue.record(
      Comment(
        rawValue: cause + failure.report + "\nreplay: explore(replay: \"\(failure.token)\")"),
      sourceLocation: sourceLocation)
  }
}

/// What is known once all orders have been tried. Code that synchronises by itself takes part of
/// the claim away.
private func claim(_ count: Int, inModule module: String) -> String {
  let orders = "all \(count) order\(count == 1 ? "" : "s")"
  guard let uncontrolled = Exploration.uncontrolledCode(inModule: module) else {
    return "\(orders) pass"
  }
  return "\(orders) of the controlled calls pass; NOT controlled here: \(uncontrolled)"
}

private func stillBlocked(_ count: Int) -> String {
  count == 0
    ? "" : "; threads were still blocked when the body returned: \(count) in all executions"
}
