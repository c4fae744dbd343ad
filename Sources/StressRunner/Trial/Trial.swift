/// How the child of a trial looks for races that need a little help to happen.
package struct TrialDelays: Sendable, Hashable, Codable {
  /// The absolute path of the file that keeps pairs of places from trial to trial; `nil` is none.
  package var trapFile: String?

  /// Near-miss delays, decided by the trial's seed.
  package init(trapFile: String? = nil) {
    self.trapFile = trapFile
  }
}

/// One scenario on one subject with one seed, in one child process.
package struct Trial: Sendable, Hashable, Codable {
  /// What is replayed.
  package var scenario: Scenario
  /// The name of the subject.
  package var subject: String
  /// What the operations and keys follow from.
  package var seed: UInt64
  /// The near-miss delays of a workload's sections; `nil` makes none. A script decides its order
  /// itself.
  package var delays: TrialDelays? = TrialDelays()
  /// Whether the child looks for what does not go wrong and can: for locks that are taken in
  /// several orders, and the like.
  package var predicts = false

  /// Describes a trial.
  package init(scenario: Scenario, subject: String, seed: UInt64) {
    self.scenario = scenario
    self.subject = subject
    self.seed = seed
  }
}
