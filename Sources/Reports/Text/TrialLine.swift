package import StressRunner

/// The line that is printed as a trial is judged.
package struct TrialLine: Sendable {
  private let scenarioWidth: Int
  private let subjectWidth: Int
  private let style: TextStyle

  /// Fits the columns to the names that will come.
  package init(_ trials: [Trial], style: TextStyle) {
    scenarioWidth = trials.map(\.scenario.name.count).max() ?? 0
    subjectWidth = trials.map(\.subject.count).max() ?? 0
    self.style = style
  }

  /// A result: one line, and the reason on a second one where there is something to say.
  package func text(_ result: TrialResult) -> String {
    let seen = result.observation
    let verdict = verdictText(result.verdict)
    var line = style.marked("\(sign(met: result.isMet)) ", met: result.isMet)
    line += result.trial.scenario.name.padded(to: scenarioWidth) + "  "
    line += result.trial.subject.padded(to: subjectWidth) + "  "
    line += style.marked(verdict, met: result.isMet)
    line += String(repeating: " ", count: max(0, 21 - verdict.count)) + "  "
    if result.verdict.kind != .skipped {
      line += style.dim("\(seen.completed)/\(seen.operations)  \(secondsText(seen.seconds))")
    }
    if result.isMet == false { line += "  expected \(expectationText(result.expected))" }
    while line.hasSuffix(" ") { line.removeLast() }
    if result.verdict.kind != .passed { line += "\n    " + style.dim(result.verdict.message) }
    return line
  }
}

/// `deadlock (starvation)`
func verdictText(_ verdict: Verdict) -> String {
  verdict.kind.rawValue + (verdict.cause.map { " (\($0.rawValue))" } ?? "")
}

/// `deadlock (starvation)`
func expectationText(_ expectation: Expectation) -> String {
  expectation.verdict.rawValue + (expectation.cause.map { " (\($0.rawValue))" } ?? "")
}
