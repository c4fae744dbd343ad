package import Prediction

/// A judged trial: the only input of reports.
package struct TrialResult: Sendable, Hashable, Codable {
  /// The trial.
  package var trial: Trial
  /// The facts.
  package var observation: Observation
  /// The judgement.
  package var verdict: Verdict

  /// Combines the three.
  package init(trial: Trial, observation: Observation, verdict: Verdict) {
    self.trial = trial
    self.observation = observation
    self.verdict = verdict
  }

  /// The scenario's expectation of this subject.
  package var expected: Expectation { trial.scenario.expectation(for: trial.subject) }

  /// Whether the verdict is the expected one, and the predicted findings too if the scenario states
  /// any; `nil` for a skipped trial.
  package var isMet: Bool? {
    guard verdict.kind != .skipped else { return nil }
    return expected.isMet(by: verdict, seesCalls: observation.seesCalls)
      && expected.isMet(by: observation.prediction)
  }

  /// Predicted findings of kinds that the scenario does not expect.
  package var unexpectedFindings: [PotentialFinding] {
    observation.prediction.findings.filter { !(expected.potential ?? []).contains($0.kind) }
  }
}
