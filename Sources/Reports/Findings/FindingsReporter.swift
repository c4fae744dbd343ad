import Findings
import StressRunner

/// Reports the findings of a run in a format that other programs read.
struct FindingsReporter: Reporter {
  private let format: FindingFormat
  private let settings: FailureSettings
  private var findings = FindingList()
  private var attempts: [TrialPair: Int] = [:]
  private var context: ReportContext?

  init(_ format: FindingFormat, _ settings: ReportSettings) {
    self.format = format
    self.settings = settings.failing
  }

  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    self.context = context
    return ""
  }

  mutating func result(_ result: TrialResult) -> String {
    guard let context else { return "" }
    attempts[TrialPair(result.trial), default: 0] += 1
    for finding in result.findings(settings, context) { findings.add(finding) }
    return ""
  }

  func end(_ summary: ReportSummary) -> String {
    guard let context else { return "" }
    var details = FindingFormat.Context(
      version: context.version, activity: context.activity, repository: context.repository)
    details.hasBaseline = settings.known != nil
    details.isComplete = summary.count == summary.planned
    let all = findings.all { attempts[TrialPair(scenario: $0.group, subject: $0.name)] }
    return format.text(all, details) ?? ""
  }
}

/// A scenario and a subject: the pair that a trial belongs to.
struct TrialPair: Hashable {
  var scenario: String
  var subject: String

  init(_ trial: Trial) {
    self.init(scenario: trial.scenario.name, subject: trial.subject)
  }

  init(scenario: String, subject: String) {
    self.scenario = scenario
    self.subject = subject
  }
}

extension ReportFormat {
  /// The formats of findings.
  static let findings: [ReportFormat] = FindingFormat.all.map { format in
    let destination: Destination =
      switch format.destination {
      case .file: .finishedFile
      case .output: .output
      case .environment(let variable): .environmentFile(variable)
      }
    return ReportFormat(
      name: format.name, summary: format.summary, destination: destination, showsPassed: false
    ) { FindingsReporter(format, $0) }
  }
}
