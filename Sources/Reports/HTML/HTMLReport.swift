package import StressRunner
import Hangs

/// The results of a run as one page: the verdicts, the drawn diagnosis of each hang, and the
/// evidence of every other failure.
///
/// The page is self-contained: it loads no font, picture or script. It is well-formed XML too. Text
/// from a subject (labels, thread names, functions, messages) is always escaped.
package struct HTMLReport: Sendable {
  /// The most trials that are explained, one for each pair of scenario and subject. The rest is
  /// counted.
  static let mostTrials = 200

  private typealias Pair = VerdictTables.Pair

  private let results: [TrialResult]
  private let trials: [Trial]
  private let seconds: Double
  private let context: ReportContext
  private let isVerbose: Bool
  private let excerpt: SourceExcerpt

  /// Describes a run.
  ///
  /// - Parameters:
  ///   - results: The judged trials, in any order.
  ///   - trials: The planned trials.
  ///   - seconds: The duration of the run.
  ///   - context: The tool, the machine, and how to replay a trial.
  ///   - isVerbose: True to show the harness's own threads and frames in wait-for graphs.
  ///   - source: Returns the text of a source file; by default it opens the file.
  package init(
    _ results: [TrialResult], of trials: [Trial], seconds: Double, context: ReportContext,
    isVerbose: Bool = false, source: (@Sendable (String) -> String?)? = nil
  ) {
    self.results = results
    self.trials = trials
    self.seconds = seconds
    self.context = context
    self.isVerbose = isVerbose
    excerpt = SourceExcerpt(source ?? SourceExcerpt.file)
  }

  /// The page, as UTF-8, with a line break at its end.
  package var text: String {
    let (shown, left) = explained
    let sections = Dictionary(
      shown.map { (Pair($0.result.trial), $0.name) }, uniquingKeysWith: { first, _ in first })
    let report = TextReport(context: context, style: TextStyle(color: false), isVerbose: false)
    let summary = report.summary(results, of: trials, seconds: seconds)
    let tables = VerdictTables(results, of: trials, sections: sections).html
    return head(summary) + Self.filter + """
      <h2>Verdicts</h2>
      \(tables)\(unmet(sections))\(blindness)
      """ + shown.map(section).joined() + rest(left)
      + PotentialSection(results, context, excerpt).html
        + """
        </main>
        <script>\(PageScript.text)</script>
        </body>
        </html>

        """
  }

  /// The filter's controls. They are hidden without the script.
  private static let filter = """
    <div class="filter" role="search" hidden="hidden">
    <label for="filter-words">Filter</label>
    <input type="search" id="filter-words" placeholder="scenario, subject or verdict; press /"/>
    <label><input type="checkbox"/> not as expected only</label>
    <output for="filter-words"></output>
    </div>

    """

  private func head(_ summary: String) -> String {
    let host = context.host
    let machine =
      "interlock \(context.version), \(host.system), \(host.cores) cores, Swift \(host.swift)"
    return """
      <!DOCTYPE html>
      <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
      <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta http-equiv="Content-Security-Policy" content="\(Markup.text(PageStyle.policy))"/>
      <title>Interlock: \(Markup.text(summary))</title>
      <style>
      \(PageStyle.css)
      </style>
      </head>
      <body>
      <main>
      <h1>Interlock: what was found</h1>
      <p class="headline">\(Markup.text(summary))</p>
      <p class="host">\(Markup.text(machine))</p>

      """
  }

  /// One trial for each pair that was judged and did not pass, or passed unexpectedly, in the order
  /// of the plan, and the number of further pairs. A trial with an unmet expectation is preferred,
  /// and among those a trial with a diagnosis.
  private var explained: (shown: [ExplainedTrial], left: Int) {
    let byPair = Dictionary(grouping: results.indices) { Pair(results[$0].trial) }
    var seen: Set<Pair> = []
    var explained: [ExplainedTrial] = []
    var left = 0
    for pair in trials.map(Pair.init) where seen.insert(pair).inserted {
      let all = (byPair[pair] ?? []).map { results[$0] }
      let unmet = all.filter { $0.isMet == false }
      let candidates = unmet.isEmpty ? all.filter { $0.isMet == true } : unmet
      let shown = candidates.filter { $0.isMet == false || $0.verdict.kind != .passed }
      guard let result = shown.first(where: { $0.verdict.diagnosis != nil }) ?? shown.first else {
        continue
      }
      guard explained.count < Self.mostTrials else {
        left += 1
        continue
      }
      let same = all.count { $0.verdict.kind == result.verdict.kind }
      explained.append(
        ExplainedTrial(
          result: result, diagnosis: result.explanation, name: "trial-\(explained.count + 1)",
          note: all.count > 1 ? " (\(same) of \(all.count) trials)" : "",
          replay: context.replay(result)))
    }
    return (explained, left)
  }

  private func section(_ trial: ExplainedTrial) -> String {
    guard let diagnosis = trial.diagnosis else { return TrialSection(trial, excerpt).html }
    return HangSection(trial, isVerbose ? diagnosis : diagnosis.withoutHarness, excerpt).html
  }

  /// A summary of the unmet expectations.
  private func unmet(_ sections: [Pair: String]) -> String {
    let unmet = results.filter { $0.isMet == false }
    guard !unmet.isEmpty else { return "" }
    var items = unmet.prefix(Self.mostTrials).map { result in
      let text = Markup.text(
        "\(result.trial.scenario.name) on \(result.trial.subject): \(verdictText(result.verdict)), "
          + "expected \(expectationText(result.expected)): \(result.message)")
      return sections[Pair(result.trial)].map { "<a href=\"#\($0)\">\(text)</a>" } ?? text
    }
    if unmet.count > items.count { items.append("… and \(unmet.count - items.count) more") }
    return "<h2>Not as expected</h2>\n<ul class=\"not-expected\">\n"
      + items.map { "<li>\($0)</li>\n" }.joined() + "</ul>\n"
  }

  private var blindness: String {
    guard let reason = context.sight.reason,
      results.contains(where: { $0.verdict.kind == .deadlock && $0.verdict.diagnosis == nil })
    else { return "" }
    return "<p>No diagnosis: \(Markup.text(reason)).</p>\n"
  }

  private func rest(_ count: Int) -> String {
    count > 0 ? "<p>… and \(count) more trials, which are not explained here.</p>\n" : ""
  }
}
