/// One scenario on one subject with one seed, in one child process.
public struct Trial: Sendable, Hashable, Codable {
  /// What is replayed.
  public var scenario: Scenario
  /// The name of the subject.
  public var subject: String
  /// What the operations and keys follow from.
  public var seed: UInt64

  /// Describes a trial.
  public init(scenario: Scenario, subject: String, seed: UInt64) {
    self.scenario = scenario
    self.subject = subject
    self.seed = seed
  }
}
