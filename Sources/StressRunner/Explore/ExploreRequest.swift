package import Explorer

/// How a trial's child explores the orders of its workload, instead of running it once.
package struct ExploreRequest: Sendable, Hashable, Codable {
  /// The strategy and the limits of the exploration.
  package var options: ExplorationOptions
  /// The token of the one order to execute; `nil` to search.
  package var token: String?

  /// Creates a request to search with these options, or to execute the order of a token.
  package init(_ options: ExplorationOptions = ExplorationOptions(), token: String? = nil) {
    self.options = options
    self.token = token
  }
}

/// The outcome of an exploration, with its data.
package struct ExplorationRecord: Sendable, Hashable, Codable {
  /// The outcome.
  package var outcome: ExplorationOutcome
  /// The duration without the start of the child, in seconds.
  package var seconds: Double
  /// For a part of the orders, the facts about the workload that executions have shown.
  package var facts: UInt32?
  /// Why races by the order of sections were not decided; `nil` if they were.
  package var orderUnknown: String?
  /// The sources of the orders, one line for each of the objects with the most; `nil` if unknown or
  /// not requested.
  package var sources: [String]?
  /// Why one process explored although several were asked for; `nil` otherwise.
  package var oneProcess: String?

  /// Describes an exploration.
  package init(outcome: ExplorationOutcome, seconds: Double) {
    self.outcome = outcome
    self.seconds = seconds
  }

  /// True if every order was executed.
  package var isFinished: Bool {
    if case .allOrdersPass = outcome { true } else { false }
  }
}

extension Trial {
  /// Creates the exploration of the trial's workload. Its name, which tokens contain, consists of
  /// the scenario, the subject and the seed of the calls.
  package func exploration(_ request: ExploreRequest) -> Exploration {
    Exploration(request.options, of: "\(scenario.name) on \(subject), seed \(seed)")
  }
}
