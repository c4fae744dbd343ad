import Explorer
package import Prediction
import Hangs

/// A judged trial: the only input of reports.
package struct TrialResult: Sendable, Hashable, Codable {
  /// The trial.
  package var trial: Trial
  /// The facts.
  @Shared package var observation: Observation
  /// The judgement.
  @Shared package var verdict: Verdict

  /// Combines the three.
  package init(trial: Trial, observation: Observation, verdict: Verdict) {
    self.trial = trial
    self.observation = observation
    self.verdict = verdict
  }

  /// What the trial is expected to show.
  package var expected: Expectation { trial.expected }

  /// Whether the verdict is the expected one, and the predicted findings too if the scenario states
  /// any; `nil` for a skipped trial.
  package var isMet: Bool? {
    guard verdict.kind != .skipped else { return nil }
    if case .explored(let failure) = verdict, failure.verdict == .deadlock, failure.cause == nil {
      // An exploration that knows no cause still knows that no pool is dry.
      return expected.acceptsDeadlockOfUnknownCause
    }
    if expected.isFinished, observation.exploration?.isFinished != true { return false }
    return expected.isMet(by: verdict, seesCalls: observation.seesCalls)
      && expected.isMet(by: observation.prediction)
  }

  /// Predicted findings of kinds that the scenario does not expect.
  package var unexpectedFindings: [PotentialFinding] {
    observation.prediction.findings.filter { !(expected.potential ?? []).contains($0.kind) }
  }
}
