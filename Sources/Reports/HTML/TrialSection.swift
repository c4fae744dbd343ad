import HangReports
import StressRunner
import Hangs

/// A trial that a page explains: one for each pair of scenario and subject.
struct ExplainedTrial {
  /// The result.
  var result: TrialResult
  /// The diagnosis of a hang; `nil` if the child's calls were not followed.
  var diagnosis: Explanation?
  /// The id of the trial's section on the page.
  var name: String
  /// The number of the pair's trials with this result; empty if there was one trial.
  var note: String
  /// The command that replays the trial.
  var replay: String

  /// `concurrent-reads on mutex`
  var title: String { "\(result.trial.scenario.name) on \(result.trial.subject)" }

  /// The beginning of the section: its heading, and the verdict below.
  var head: String {
    let expected =
      result.isMet == false ? ", expected \(expectationText(result.expected))" : ", as expected"
    return """
      <section id="\(name)" aria-labelledby="\(name)-heading">
      <h2 id="\(name)-heading">\(Markup.text(title))</h2>
      <p class="verdict">\(VerdictTables.badge(result))\(Markup.text(expected + note))</p>

      """
  }

  /// The end of the section, with the command that replays the trial.
  var foot: String {
    """
    <h3>Replay</h3>
    <pre><code>\(Markup.text(replay))</code></pre>
    </section>

    """
  }
}

/// The section of a page about one trial without a diagnosis: the result and the evidence.
struct TrialSection {
  private let trial: ExplainedTrial
  private let excerpt: SourceExcerpt

  init(_ trial: ExplainedTrial, _ excerpt: SourceExcerpt) {
    self.trial = trial
    self.excerpt = excerpt
  }

  /// The section.
  var html: String {
    let result = trial.result
    let progress = EvidenceFormatter.progress(of: result)
    return trial.head + """
      <p class="headline">\(Markup.text(result.message))</p>
      <p class="told">\(Markup.text(progress))</p>

      """ + EvidenceMarkup(result, excerpt).html + trial.foot
  }
}
