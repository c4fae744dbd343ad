import Interlock
import Prediction
import StressRunner
import WaitGraph

/// What was found in a trial that did not go wrong and can, for people.
struct PotentialText {
  private let style: TextStyle
  private let mostFindings: Int
  private let mostFrames: Int

  /// Chooses how much is shown before the rest is only counted.
  init(style: TextStyle, isVerbose: Bool) {
    self.style = style
    mostFindings = isVerbose ? .max : 5
    mostFrames = isVerbose ? .max : 8
  }

  /// The findings of one trial of a pair.
  ///
  /// - Parameters:
  ///   - result: The trial.
  ///   - times: In how many trials of the pair something was found.
  ///   - count: How many trials of the pair there were.
  /// - Returns: Lines; the first one is the heading.
  func lines(_ result: TrialResult, times: Int, of count: Int) -> [String] {
    let findings = result.observation.prediction.findings
    let often = count > 1 ? " (\(times) of \(count) trials)" : ""
    let heading =
      "potential, not observed: \(result.trial.scenario.name) on \(result.trial.subject)\(often)"
    var lines = [style.yellow(heading)]
    for finding in findings.prefix(mostFindings) { lines += self.lines(finding) }
    if findings.count > mostFindings {
      lines.append("  … \(findings.count - mostFindings) more (--verbose shows all)")
    }
    return lines + result.observation.prediction.notes.map { "  (\(harmless($0)))" }
  }

  private func lines(_ finding: PotentialFinding) -> [String] {
    let often = finding.count > 1 ? ", \(finding.count) times" : ""
    var lines = ["  " + potentialHeadline(finding) + often]
    for side in finding.sides {
      lines.append("    \(harmless(side.who)) \(harmless(side.act))\(place(side.place))")
      for held in side.held {
        lines.append("      holds \(harmless(held.object)), taken\(place(held.place))")
      }
      lines += side.stack.prefix(mostFrames).enumerated().map {
        "      #\($0.offset) \($0.element)"
      }
      let left = side.stack.count - mostFrames
      if left > 0 { lines.append("      … \(left) more frames (--verbose shows all)") }
    }
    return lines
  }

  private func place(_ frames: [StackFrame]) -> String {
    guard let frame = frames.first(where: { !$0.isSystem }) ?? frames.first else { return "" }
    return " at \(frame)"
  }
}

/// `lock-order: two locks are taken in both orders: …`
func potentialHeadline(_ finding: PotentialFinding) -> String {
  "\(finding.kind.rawValue): \(harmless(finding.headline))"
}
