import StressRunner

extension ReportFormat {
  /// The text for a terminal: a line for each trial, then the table, the evidence and the summary.
  package static let text = ReportFormat(
    name: "text", summary: "A line for each trial, then what is unmet with its evidence.",
    destination: .terminal
  ) { TextReporter($0) }
}

/// Reports a run as text.
struct TextReporter: Reporter {
  private let settings: ReportSettings
  private var trials: [Trial] = []
  private var results: [TrialResult] = []
  private var line: TrialLine
  private var report: TextReport?

  init(_ settings: ReportSettings) {
    self.settings = settings
    line = TrialLine([], style: settings.style)
  }

  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    self.trials = trials
    line = TrialLine(trials, style: settings.style)
    report = TextReport(
      context: context, style: settings.style, isVerbose: settings.isVerbose,
      requiresContention: settings.requiresContention,
      isKnown: { [failing = settings.failing] in $0.isKnown(failing, context) })
    return ""
  }

  mutating func result(_ result: TrialResult) -> String {
    results.append(result)
    return line.text(result, width: settings.width()) + "\n"
  }

  func end(_ summary: ReportSummary) -> String {
    guard let report else { return "" }
    return "\n"
      + report.text(
        results, of: trials, seconds: summary.seconds, width: settings.width() ?? 120)
  }
}
