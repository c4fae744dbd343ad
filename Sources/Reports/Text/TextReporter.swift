import StressRunner

extension ReportFormat {
  /// The text for a terminal: a line for each trial, then the table, the evidence and the summary.
  package static let text = ReportFormat(
    name: "text", summary: "A line for each trial, then what is unmet with its evidence.",
    destination: .terminal, showsPassed: false
  ) { TextReporter($0) }
}

/// Reports a run as text.
struct TextReporter: Reporter {
  private let settings: ReportSettings
  private var trials: [Trial] = []
  private var results: [TrialResult] = []
  private var line: TrialLine
  /// The scenarios with a heading: those with more than one subject.
  private var headed: Set<String> = []
  /// The scenario of the last line.
  private var current: String?
  private var report: TextReport?

  init(_ settings: ReportSettings) {
    self.settings = settings
    line = TrialLine([], style: settings.style)
  }

  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    self.trials = trials
    line = TrialLine(trials, style: settings.style)
    let subjects = Dictionary(grouping: trials, by: \.scenario.name).mapValues {
      Set($0.map(\.subject))
    }
    headed = Set(subjects.filter { $0.value.count > 1 }.keys)
    report = TextReport(
      context: context, style: settings.style, isVerbose: settings.isVerbose,
      requiresContention: settings.requiresContention,
      isKnown: { [failing = settings.failing] in $0.isKnown(failing, context) })
    return ""
  }

  mutating func result(_ result: TrialResult) -> String {
    results.append(result)
    let scenario = result.trial.scenario
    let isHeaded = headed.contains(scenario.name)
    var text = ""
    if current != scenario.name, isHeaded || current.map(headed.contains) == true {
      text += current == nil ? "" : "\n"
      if isHeaded { text += heading(scenario) }
    }
    current = scenario.name
    text += line.text(result, isUnderHeading: isHeaded, width: settings.width())
    return text + "\n"
  }

  /// The scenario's name and summary, for the lines of its subjects.
  private func heading(_ scenario: Scenario) -> String {
    let title = harmless("\(scenario.name): \(scenario.summary)")
    let lines = settings.width().map { wrapped(title, width: $0) } ?? [title]
    return lines.map { settings.style.bold($0) + "\n" }.joined()
  }

  func end(_ summary: ReportSummary) -> String {
    guard let report else { return "" }
    return "\n"
      + report.text(
        results, of: trials, seconds: summary.seconds, width: settings.width() ?? 120)
  }
}
