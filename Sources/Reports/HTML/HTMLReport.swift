package import StressRunner
import WaitGraph

/// The results of a run as one page: the verdicts, and for each hang its diagnosis, drawn.
///
/// The page needs nothing but itself: no font, picture or script from elsewhere. It is well-formed XML too. Whatever
/// comes from a subject (labels, names of threads, functions, messages) is text and stays text.
package struct HTMLReport: Sendable {
  /// So many hangs are explained, one for each pair of scenario and subject; the rest are counted.
  static let mostHangs = 200

  private typealias Pair = VerdictTables.Pair

  /// A hang that is explained.
  private struct Hang {
    var result: TrialResult
    var diagnosis: Diagnosis
    var name: String
    var note: String
  }

  private let results: [TrialResult]
  private let trials: [Trial]
  private let seconds: Double
  private let context: ReportContext

  /// Describes a run.
  ///
  /// - Parameters:
  ///   - results: What was judged, in any order.
  ///   - trials: What was planned.
  ///   - seconds: How long the run took.
  ///   - context: Who ran it, where, and how a trial is run again.
  package init(
    _ results: [TrialResult], of trials: [Trial], seconds: Double, context: ReportContext
  ) {
    self.results = results
    self.trials = trials
    self.seconds = seconds
    self.context = context
  }

  /// The page, as UTF-8, with a line break at its end.
  package var text: String {
    let hangs = hangs
    let shown = hangs.prefix(Self.mostHangs)
    let sections = Dictionary(
      shown.map { (Pair($0.result.trial), $0.name) }, uniquingKeysWith: { first, _ in first })
    let report = TextReport(context: context, style: TextStyle(color: false), isVerbose: false)
    let summary = report.summary(results, of: trials, seconds: seconds)
    let tables = VerdictTables(results, of: trials, sections: sections).html
    return head(summary) + """
      <h2>Verdicts</h2>
      \(tables)\(others(besides: sections))\(blindness)
      """ + shown.map(section).joined() + rest(hangs.count - shown.count)
      + PotentialSection(results).html
        + """
        </main>
        <script>\(PageStyle.script)</script>
        </body>
        </html>

        """
  }

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

  /// One hang for each pair, in the order of the plan: one that is unmet, if there is any.
  private var hangs: [Hang] {
    let byPair = Dictionary(grouping: results) { Pair($0.trial) }
    var seen: Set<Pair> = []
    var hangs: [Hang] = []
    for pair in trials.map(Pair.init) where seen.insert(pair).inserted {
      let all = byPair[pair] ?? []
      let stuck = all.filter { $0.isMet == false } + all.filter { $0.isMet != false }
      for result in stuck {
        guard let diagnosis = result.diagnosis else { continue }
        let same = all.count { $0.verdict.kind == result.verdict.kind }
        let note = all.count > 1 ? " (\(same) of \(all.count) trials)" : ""
        hangs.append(
          Hang(result: result, diagnosis: diagnosis, name: "hang-\(hangs.count + 1)", note: note))
        break
      }
    }
    return hangs
  }

  private func section(_ hang: Hang) -> String {
    HangSection(
      hang.result, hang.diagnosis, name: hang.name, note: hang.note,
      replay: context.replay(hang.result.trial)
    ).html
  }

  /// What was not expected and has no section of its own.
  private func others(besides sections: [Pair: String]) -> String {
    let unmet = results.filter { $0.isMet == false && sections[Pair($0.trial)] == nil }
    guard !unmet.isEmpty else { return "" }
    var lines = unmet.prefix(Self.mostHangs).map { result in
      "\(result.trial.scenario.name) on \(result.trial.subject): \(verdictText(result.verdict)), "
        + "expected \(expectationText(result.expected)): \(result.verdict.message)"
    }
    if unmet.count > lines.count { lines.append("… and \(unmet.count - lines.count) more") }
    return "<h2>Not as expected</h2>\n" + Markup.list(lines)
  }

  private var blindness: String {
    guard let reason = context.sight.reason,
      results.contains(where: { $0.verdict.kind == .deadlock && $0.diagnosis == nil })
    else { return "" }
    return "<p>No diagnosis: \(Markup.text(reason)).</p>\n"
  }

  private func rest(_ count: Int) -> String {
    count > 0 ? "<p>… and \(count) more hangs, which are not explained here.</p>\n" : ""
  }
}
