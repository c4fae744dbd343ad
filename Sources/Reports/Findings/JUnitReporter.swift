import Findings
import StressRunner

/// Reports a run as JUnit's XML: a suite for each scenario, a test for each subject.
///
/// Trials of one pair are one test: it fails if one of them does.
struct JUnitReporter: Reporter {
  /// The trials of one pair.
  fileprivate struct Tries {
    var count = 0
    var seconds = 0.0
    /// The outcome of the first unmet trial, and the number of unmet trials.
    var outcome: JUnitXML.Outcome?
    var unmet = 0
    var skipped: String?
    /// The first old finding, which does not fail the test.
    var known: String?
    var judged = 0
    var potential: [String] = []
  }

  private let settings: FailureSettings
  private var tries: [TrialPair: Tries] = [:]
  private var order: [TrialPair] = []
  private var context: ReportContext?

  init(_ settings: ReportSettings) { self.settings = settings.failing }

  mutating func begin(_ trials: [Trial], _ context: ReportContext) -> String {
    self.context = context
    return ""
  }

  mutating func result(_ result: TrialResult) -> String {
    guard let context else { return "" }
    let pair = TrialPair(result.trial)
    if tries[pair] == nil { order.append(pair) }
    tries[pair, default: Tries()].add(result, settings, context)
    return ""
  }

  func end(_ summary: ReportSummary) -> String {
    guard let context else { return "" }
    var properties = [(name: "interlock", value: context.version)]
    if let seed = context.seed { properties.append(("seed", "\(seed)")) }
    var report = JUnitXML(properties: properties, began: context.began)
    for pair in order {
      guard let tried = tries[pair] else { continue }
      report.add(
        pair.subject, in: pair.scenario, seconds: tried.seconds, tried.result,
        output: tried.potential)
    }
    return report.text
  }
}

extension JUnitReporter.Tries {
  mutating func add(
    _ result: TrialResult, _ settings: FailureSettings, _ context: ReportContext
  ) {
    count += 1
    seconds += result.observation.seconds
    if result.isMet == nil, !settings.onSkipped { skipped = result.message } else { judged += 1 }
    let text = PotentialText(context: context, style: TextStyle(color: false), isVerbose: false)
    if potential.isEmpty, !result.unexpectedFindings.isEmpty {
      potential = text.lines(result, times: 1, of: 1)
    }
    let findings = result.findings(settings, context).filter { $0.level == .error }
    guard let first = findings.first(where: { $0.knownBecause == nil }) else {
      if let old = findings.first, known == nil { known = old.headline }
      return
    }
    unmet += 1
    guard outcome == nil else { return }
    let lines =
      result.isMet == false
      ? EvidenceText(context: context, style: TextStyle(color: false), isVerbose: false)
        .lines(result, times: 1, of: 1)
      : potential
    switch result.verdict.kind {
    case .crashed, .timedOut, .undecided:
      outcome = .broken(kind: first.rule.id, message: first.message, lines: lines)
    default:
      outcome = .failed(kind: first.rule.id, message: first.message, lines: lines)
    }
  }

  /// The outcome of all trials, with the number of failed ones if there are several trials.
  fileprivate var result: JUnitXML.Outcome {
    let often = count > 1 ? " (\(unmet) of \(count) trials)" : ""
    switch outcome {
    case .failed(let kind, let message, let lines):
      return .failed(kind: kind, message: message + often, lines: lines)
    case .broken(let kind, let message, let lines):
      return .broken(kind: kind, message: message + often, lines: lines)
    case .passed, .skipped, nil:
      if let known { return .skipped(reason: known) }
      return judged == 0 ? .skipped(reason: skipped ?? "") : .passed
    }
  }
}

extension ReportFormat {
  /// JUnit's XML.
  package static let junit = ReportFormat(
    name: "junit",
    summary: "Write the results to this file as JUnit's XML when the run is over: a suite for each"
      + " scenario, a test for each subject.",
    destination: .finishedFile, showsPassed: false
  ) { JUnitReporter($0) }
}
