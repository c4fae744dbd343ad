import Prediction
import StressRunner

/// The predicted findings of a trial, as text.
struct PotentialText {
  private let context: ReportContext
  private let style: TextStyle
  private let mostFindings: Int
  private let mostFrames: Int

  /// Determines how much is shown; the rest is counted.
  init(context: ReportContext, style: TextStyle, isVerbose: Bool) {
    self.context = context
    self.style = style
    mostFindings = isVerbose ? .max : 5
    mostFrames = isVerbose ? .max : 8
  }

  /// The findings of one trial of a pair.
  ///
  /// - Parameters:
  ///   - result: The trial.
  ///   - times: The number of trials of the pair with findings.
  ///   - count: The number of trials of the pair.
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
      + ["  replay: " + style.bold(context.replay(result))]
  }

  private func lines(_ finding: PotentialFinding) -> [String] {
    let text = FindingText(finding, mostFrames: mostFrames)
    return ["  " + harmless(text.headline)] + text.details.map { "    " + harmless($0) }
  }
}

/// `lock-order: two locks are taken in both orders: …`
func potentialHeadline(_ finding: PotentialFinding) -> String {
  harmless(FindingText(finding, mostFrames: nil).headline)
}
