/// A judged trial: the one thing that reports are made from.
public struct TrialResult: Sendable, Hashable, Codable {
  /// What was tried.
  public var trial: Trial
  /// What was seen.
  public var observation: Observation
  /// What it means.
  public var verdict: Verdict

  /// Puts the three together.
  public init(trial: Trial, observation: Observation, verdict: Verdict) {
    self.trial = trial
    self.observation = observation
    self.verdict = verdict
  }

  /// What the scenario expected of this subject.
  public var expected: Expectation { trial.scenario.expectation(for: trial.subject) }

  /// Whether the verdict is the expected one; `nil` for a skipped trial.
  public var isMet: Bool? {
    verdict.kind == .skipped ? nil : expected.isMet(by: verdict, seesCalls: observation.seesCalls)
  }
}
