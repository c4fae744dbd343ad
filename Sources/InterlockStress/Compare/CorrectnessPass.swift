import Comparison
import Reports
import StressRunner

/// The trials that a strategy must pass before it is measured.
struct CorrectnessPass {
  /// A trial for each strategy and driver.
  let trials: [Trial]
  private let owners: [String]

  /// Plans the trials. A contestant that lacks something on this machine has none.
  init(_ field: CompareField) {
    var trials: [Trial] = []
    var owners: [String] = []
    for contestant in field.contestants where field.missing[contestant.name] == nil {
      for scenario in field.checks {
        trials.append(
          Trial(
            scenario: scenario, subject: field.subjectNames[contestant.name] ?? contestant.name,
            seed: scenario.workload.seed))
        owners.append(contestant.name)
      }
    }
    self.trials = trials
    self.owners = owners
  }

  /// The contestant of a trial.
  func owner(of index: Int) -> String { owners[index] }

  /// The fault in a trial's verdict; `nil` if the trial passed.
  static func fault(_ result: TrialResult) -> ComparisonRecord.Fault? {
    guard result.verdict.kind != .passed else { return nil }
    return .init(
      verdict: verdictText(result.verdict),
      message: "with \(result.trial.scenario.workload.phases[0].callers) callers by the driver"
        + " \(result.trial.scenario.workload.driver.rawValue): " + result.message)
  }

  /// A line about what the pass can detect in this build.
  static func sight(tracksSections: Bool, isOfCaches: Bool) -> String {
    if tracksSections {
      return "sections are on: every forbidden overlap of two callers is seen"
    }
    let hint = "; a build with --traits SectionTracking sees each overlap"
    return isOfCaches
      ? "sections are not in this build: a race shows where it does damage (a broken value, a wrong"
        + " count, a crash)" + hint
      : "sections are not in this build: the table itself counts lost writes and reads that"
        + " overlap a write, in the measured rounds too" + hint
  }
}
