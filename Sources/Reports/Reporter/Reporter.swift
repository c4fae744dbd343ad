package import StressRunner

/// Formats a run as one text, in pieces that are written as the results arrive.
///
/// A reporter writes nothing itself. After any number of results, the text from `begin`, the texts
/// from `result` and the text from `end` form a complete report. Results arrive in the order in
/// which they are judged.
package protocol Reporter {
  /// Begins the report of the planned trials.
  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String

  /// Adds a judged trial.
  mutating func result(_ result: TrialResult) -> String

  /// Ends the report after the results so far. Called after each result if the file must always be
  /// complete, otherwise once.
  func end(_ summary: ReportSummary) -> String
}

extension Reporter {
  /// The whole report of a finished run.
  package func text(
    _ results: [TrialResult], of trials: [Trial], seconds: Double, _ context: ReportContext
  ) -> String {
    var reporter = self
    var summary = ReportSummary(results)
    summary.planned = trials.count
    summary.seconds = seconds
    let begin = reporter.begin(trials, context)
    return begin + results.map { reporter.result($0) }.joined() + reporter.end(summary)
  }
}
