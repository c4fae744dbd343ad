import Interlock
package import StressRunner

/// What the trials of a run exercised, for each scenario on each subject: the best of its trials.
package struct Exercised: Sendable {
  /// A resource in a scenario on a subject.
  package struct Item: Sendable {
    /// The scenario's name.
    package var scenario: String
    /// The subject's name.
    package var subject: String
    var resource: ExerciseReport.Resource

    /// What is to be said of it, in one line.
    package var line: String {
      "\(scenario) on \(subject): \(harmless(resource.headline))"
    }

    /// The same with its places and pairs.
    var lines: [String] {
      resource.lines.enumerated().map { index, line in
        index == 0 ? "\(scenario) on \(subject): \(harmless(line))" : harmless(line)
      }
    }
  }

  /// All of them, in the order of the results.
  private(set) var items: [Item] = []
  /// How many pairs of scenario and subject had a trial that could tell.
  private(set) var pairCount = 0
  /// How many of these have no section at all.
  private(set) var withoutSections = 0
  /// Whether a trial had more than could be followed.
  private(set) var isFull = false

  /// Takes what each trial's child has told.
  package init(_ results: [TrialResult]) {
    struct Pair: Hashable {
      var scenario: String
      var subject: String
    }
    var order: [Pair] = []
    var names: [Pair: [String]] = [:]
    var best: [Pair: [String: ExerciseReport.Resource]] = [:]
    for result in results {
      guard let report = result.observation.exercise else { continue }
      let pair = Pair(scenario: result.trial.scenario.name, subject: result.trial.subject)
      if best[pair] == nil {
        order.append(pair)
        best[pair] = [:]
      }
      isFull = isFull || report.isFull
      for resource in report.resources {
        let known = best[pair]?[resource.name]
        if known == nil { names[pair, default: []].append(resource.name) }
        if known.map({ Self.rank(resource) > Self.rank($0) }) ?? true {
          best[pair]?[resource.name] = resource
        }
      }
    }
    pairCount = order.count
    for pair in order {
      withoutSections += names[pair] == nil ? 1 : 0
      for name in names[pair] ?? [] {
        guard let resource = best[pair]?[name] else { continue }
        items.append(Item(scenario: pair.scenario, subject: pair.subject, resource: resource))
      }
    }
  }

  /// Those that one owner alone touched, in every trial.
  package var notTested: [Item] { items.filter { $0.resource.contention == .oneOwner } }

  /// Whether this is too little for a run that must exercise what it has: a resource was not
  /// tested, or there is none.
  package var isInsufficient: Bool { items.isEmpty || !notTested.isEmpty }

  private static func rank(_ resource: ExerciseReport.Resource) -> Int {
    let contention =
      switch resource.contention {
      case .oneOwner: 0
      case .unknown: 1
      case .shared: 2
      }
    return contention << 32 + resource.met + resource.nearlyMet
  }
}
