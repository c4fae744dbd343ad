import Interlock
import Prediction
import StressRunner

/// The section of a page about predicted findings that did not occur in this run.
struct PotentialSection {
  /// The most trials that are shown, one for each pair of scenario and subject.
  private static let mostTrials = 200

  private let results: [TrialResult]
  private let context: ReportContext
  private let excerpt: SourceExcerpt

  /// Creates the section from trials in the order in which they are shown; trials without findings
  /// are left out.
  init(_ results: [TrialResult], _ context: ReportContext, _ excerpt: SourceExcerpt) {
    self.context = context
    self.excerpt = excerpt
    var seen: Set<[String]> = []
    self.results = results.filter {
      !$0.observation.prediction.findings.isEmpty
        && seen.insert([$0.trial.scenario.name, $0.trial.subject]).inserted
    }
  }

  /// The section; empty without findings.
  var html: String {
    guard !results.isEmpty else { return "" }
    let shown = results.prefix(Self.mostTrials)
    let left = results.count - shown.count
    return """
      <h2 id="potential">Potential findings</h2>
      <p>These did not occur in this run; in another run they may. They are not part \
      of any verdict.</p>

      """ + shown.map(trial).joined()
        + (left > 0 ? "<p>… and \(left) more trials with potential findings.</p>\n" : "")
  }

  private func trial(_ result: TrialResult) -> String {
    let expected = result.unexpectedFindings.isEmpty ? ", as expected" : ""
    let name = "\(result.trial.scenario.name) on \(result.trial.subject)\(expected)"
    return "<h3>\(Markup.text(name))</h3>\n"
      + result.observation.prediction.findings.map(finding).joined()
      + Markup.list(result.observation.prediction.notes)
      + "<pre><code>\(Markup.text(context.replay(result)))</code></pre>\n"
  }

  private func finding(_ finding: PotentialFinding) -> String {
    """
    <details>
    <summary>\(Markup.text(finding.headline)) <span \
    class="kind">\(finding.kind.rawValue)</span></summary>
    \(finding.sides.map(side).joined())</details>

    """
  }

  private func side(_ side: PotentialFinding.Side) -> String {
    var text = "<p>\(Markup.text(side.party + " " + side.act + FindingText.at(side)))</p>\n"
    text += Markup.list(FindingText.held(by: side))
    return text + excerpt.html(side.place) + EvidenceMarkup.stack(side.stack)
  }
}
