package import Prediction

/// A judged trial: the one thing that reports are made from.
package struct TrialResult: Sendable, Hashable, Codable {
  /// What was tried.
  package var trial: Trial
  /// What was seen.
  package var observation: Observation
  /// What it means.
  package var verdict: Verdict

  /// Puts the three together.
  package init(trial: Trial, observation: Observation, verdict: Verdict) {
    self.trial = trial
    self.observation = observation
    self.verdict = verdict
  }

  /// What the scenario expected of this subject.
  package var expected: Expectation { trial.scenario.expectation(for: trial.subject) }

  /// Whether the verdict is the expected one, and the potential findings are where the scenario
  /// speaks of them; `nil` for a skipped trial.
  package var isMet: Bool? {
    guard verdict.kind != .skipped else { return nil }
    return expected.isMet(by: verdict, seesCalls: observation.seesCalls)
      && expected.isMet(by: observation.prediction)
  }

  /// What was found that did not go wrong and can, without the kinds that the scenario expects.
  package var unexpectedFindings: [PotentialFinding] {
    observation.prediction.findings.filter { !(expected.potential ?? []).contains($0.kind) }
  }
}
