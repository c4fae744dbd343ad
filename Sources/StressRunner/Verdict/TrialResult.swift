import Explorer
package import Prediction
import Hangs

/// A judged trial: the only input of reports.
///
/// It is a single reference, because a report keeps, sorts and groups results by the hundred
/// thousand.
package struct TrialResult: Sendable {
  private final class Storage: Sendable {
    let trial: Trial
    let observation: Observation
    let verdict: Verdict
    let isMet: Bool?
    let unexpectedFindings: [PotentialFinding]

    init(_ trial: Trial, _ observation: Observation, _ verdict: Verdict) {
      self.trial = trial
      self.observation = observation
      self.verdict = verdict
      isMet = TrialResult.isMet(verdict, observation, trial)
      let findings = observation.prediction.findings
      unexpectedFindings =
        findings.isEmpty
        ? [] : findings.filter { !(trial.expected.potential ?? []).contains($0.kind) }
    }
  }

  private var storage: Storage

  /// Combines trial, observation and verdict.
  package init(trial: Trial, observation: Observation, verdict: Verdict) {
    storage = Storage(trial, observation, verdict)
  }

  /// The trial.
  package var trial: Trial {
    _read { yield storage.trial }
    set { storage = Storage(newValue, observation, verdict) }
  }

  /// The observed facts.
  package var observation: Observation {
    _read { yield storage.observation }
    set { storage = Storage(trial, newValue, verdict) }
  }

  /// The judgement.
  package var verdict: Verdict { storage.verdict }

  /// The expectation for the trial.
  package var expected: Expectation { trial.expected }

  /// True if the verdict is the expected one, and so are the predicted findings if the scenario
  /// states any; `nil` for a skipped trial.
  package var isMet: Bool? { storage.isMet }

  private static func isMet(
    _ verdict: Verdict, _ observation: Observation, _ trial: Trial
  ) -> Bool? {
    guard verdict.kind != .skipped else { return nil }
    let expected = trial.expected
    if case .explored(let failure) = verdict, failure.verdict == .deadlock(nil) {
      // An exploration that knows no cause still knows that no pool is dry.
      return expected.acceptsDeadlockOfUnknownCause
    }
    if expected.isFinished, observation.exploration?.isFinished != true { return false }
    return expected.isMet(by: verdict, seesCalls: observation.seesCalls)
      && expected.isMet(by: observation.prediction)
  }

  /// Predicted findings of kinds that the scenario does not expect.
  package var unexpectedFindings: [PotentialFinding] { storage.unexpectedFindings }
}

extension TrialResult: Hashable, Codable {
  private enum CodingKeys: CodingKey {
    case trial, observation, verdict
  }

  package static func == (one: Self, other: Self) -> Bool {
    one.storage === other.storage
      || one.trial == other.trial && one.observation == other.observation
        && one.verdict == other.verdict
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(trial)
    hasher.combine(observation)
    hasher.combine(verdict)
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      trial: try values.decode(Trial.self, forKey: .trial),
      observation: try values.decode(Observation.self, forKey: .observation),
      verdict: try values.decode(Verdict.self, forKey: .verdict))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(trial, forKey: .trial)
    try values.encode(observation, forKey: .observation)
    try values.encode(verdict, forKey: .verdict)
  }
}
