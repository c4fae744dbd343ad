/// The near-miss delays of a trial's child, which turn near misses into conflicts.
package struct TrialDelays: Sendable, Hashable, Codable {
  /// The absolute path of the file that keeps pairs of call sites between trials; `nil` for none.
  package var trapFile: String?

  /// Creates delays that the trial's seed decides.
  package init(trapFile: String? = nil) {
    self.trapFile = trapFile
  }
}

/// One scenario on one subject with one seed, in one child process.
package struct Trial: Sendable, Hashable, Codable {
  /// The scenario to replay.
  @Shared package var scenario: Scenario
  /// The name of the subject.
  package var subject: String
  /// The seed of the operations and keys.
  package var seed: UInt64
  /// The near-miss delays of a workload's sections; `nil` for none. A script sets its own order
  /// instead.
  package var delays: TrialDelays? = TrialDelays()
  /// True if the child predicts deadlocks and races that did not occur in this run, such as locks
  /// taken in several orders.
  package var predicts = false
  /// True if the child checks memory for races.
  package var checksMemory = false

  /// The exploration of the workload's orders; `nil` to run the workload once.
  package var explore: ExploreRequest? {
    get { storedExplore?.wrappedValue }
    set { storedExplore = newValue.map { Shared(wrappedValue: $0) } }
  }

  /// Stored separately: of a hundred thousand trials, few explore.
  private var storedExplore: Shared<ExploreRequest>?

  private enum CodingKeys: String, CodingKey {
    case scenario, subject, seed, delays, predicts, checksMemory
    case storedExplore = "explore"
  }

  /// Describes a trial.
  package init(scenario: Scenario, subject: String, seed: UInt64) {
    self.scenario = scenario
    self.subject = subject
    self.seed = seed
  }

  /// The scenario's expectation for this subject. A single order, given by its token, need not
  /// cover every order.
  package var expected: Expectation {
    guard let request = explore else { return scenario.expectation(for: subject) }
    var expected = scenario.exploreExpectation(for: subject)
    if request.token != nil { expected.isFinished = false }
    return expected
  }
}
