import StressRunner

extension ReportFormat {
  /// A page for a browser, with pictures of hangs.
  package static let html = ReportFormat(
    name: "html",
    summary:
      "Write the results to this file as a page when the run is over: with the wait-for graph of"
      + " each hang.",
    destination: .finishedFile
  ) { HTMLReporter(isVerbose: $0.isVerbose) }
}

/// Reports a run as one page.
struct HTMLReporter: Reporter {
  let isVerbose: Bool
  private var trials: [Trial] = []
  private var results: [TrialResult] = []
  private var context: ReportContext?

  init(isVerbose: Bool) { self.isVerbose = isVerbose }

  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    self.trials = trials
    self.context = context
    return ""
  }

  mutating func result(_ result: TrialResult) -> String {
    results.append(result)
    return ""
  }

  func end(_ summary: ReportSummary) -> String {
    guard let context else { return "" }
    return HTMLReport(
      results, of: trials, seconds: summary.seconds, context: context, isVerbose: isVerbose
    ).text
  }
}
