/// How the child of a trial looks for races that need a little help to happen.
public struct TrialDelays: Sendable, Hashable, Codable {
  /// The absolute path of the file that keeps pairs of places from trial to trial; `nil` is none.
  public var trapFile: String?

  /// Near-miss delays, decided by the trial's seed.
  public init(trapFile: String? = nil) {
    self.trapFile = trapFile
  }
}

/// One scenario on one subject with one seed, in one child process.
public struct Trial: Sendable, Hashable, Codable {
  /// What is replayed.
  public var scenario: Scenario
  /// The name of the subject.
  public var subject: String
  /// What the operations and keys follow from.
  public var seed: UInt64
  /// The near-miss delays of a workload's sections; `nil` makes none. A script decides its order
  /// itself.
  public var delays: TrialDelays? = TrialDelays()
  /// Whether the child looks for what does not go wrong and can: for locks that are taken in
  /// several orders, and the like.
  public var predicts = false

  /// Describes a trial.
  public init(scenario: Scenario, subject: String, seed: UInt64) {
    self.scenario = scenario
    self.subject = subject
    self.seed = seed
  }
}
