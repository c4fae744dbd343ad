package import Explorer

/// How a trial's child explores the orders of its workload, instead of running it once.
package struct ExploreRequest: Sendable, Hashable, Codable {
  /// How the orders are chosen, and how many.
  package var options: ExplorationOptions
  /// The token of the one order to execute; `nil` to search.
  package var token: String?

  /// Searches with these options, or executes the order of a token.
  package init(_ options: ExplorationOptions = ExplorationOptions(), token: String? = nil) {
    self.options = options
    self.token = token
  }
}

/// What came of an exploration.
package struct ExplorationRecord: Sendable, Hashable, Codable {
  /// The outcome.
  package var outcome: ExplorationOutcome
  /// How long it took, without the start of the child; seconds.
  package var seconds: Double
  /// Of a part of the orders: what executions have shown of the workload.
  package var facts: UInt32?
  /// Why races by the order of sections were not decided; `nil` if they were.
  package var orderUnknown: String?
  /// Where the orders come from, a line for each of the objects with the most; `nil` if that is not
  /// known, or was not asked for.
  package var sources: [String]?
  /// Why one process explored although several were asked for; `nil` where that is not so.
  package var oneProcess: String?

  /// Describes an exploration.
  package init(outcome: ExplorationOutcome, seconds: Double) {
    self.outcome = outcome
    self.seconds = seconds
  }

  /// Whether every order was executed.
  package var isFinished: Bool {
    if case .allOrdersPass = outcome { true } else { false }
  }
}

extension Trial {
  /// The exploration of the trial's workload. Its name, which the tokens carry, is the pair of
  /// scenario and subject with the seed of the calls.
  package func exploration(_ request: ExploreRequest) -> Exploration {
    Exploration(request.options, of: "\(scenario.name) on \(subject), seed \(seed)")
  }
}
