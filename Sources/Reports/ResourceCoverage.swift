package import Interlock
package import StressRunner

/// The contention coverage of a run, for each scenario on each subject: that of the best trial.
package struct ResourceCoverage: Sendable {
  /// A resource in a scenario on a subject.
  package struct Item: Sendable {
    /// The scenario's name.
    package var scenario: String
    /// The subject's name.
    package var subject: String
    var resource: CoverageReport.Resource

    /// The summary, in one line.
    package var line: String {
      "\(scenario) on \(subject): \(harmless(resource.headline))"
    }

    /// The summary, with the call sites and pairs.
    var lines: [String] {
      resource.lines.enumerated().map { index, line in
        index == 0 ? "\(scenario) on \(subject): \(harmless(line))" : harmless(line)
      }
    }
  }

  /// All items, in the order of the results.
  private(set) var items: [Item] = []
  /// The number of pairs of scenario and subject that had a trial with coverage.
  private(set) var pairCount = 0
  /// The number of these pairs without any section.
  private(set) var withoutSections = 0
  /// True if a trial had more data than the tracker could record.
  private(set) var isFull = false

  /// Collects the coverage that each trial's child has reported.
  package init(_ results: [TrialResult]) {
    struct Pair: Hashable {
      var scenario: String
      var subject: String
    }
    var order: [Pair] = []
    var names: [Pair: [String]] = [:]
    var best: [Pair: [String: CoverageReport.Resource]] = [:]
    for result in results {
      guard let report = result.observation.coverage else { continue }
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

  /// Resources that a single owner used in every trial.
  package var notTested: [Item] { items.filter { $0.resource.contention == .oneOwner } }

  /// True if the coverage fails a run that requires contention: a resource was not tested, or there
  /// are no resources.
  package var isInsufficient: Bool { items.isEmpty || !notTested.isEmpty }

  /// A number that is higher for better coverage.
  package static func rank(_ resource: CoverageReport.Resource) -> Int {
    let contention =
      switch resource.contention {
      case .oneOwner: 0
      case .unknown: 1
      case .shared: 2
      }
    // A child process sent the counts, so they may be any numbers.
    let met = min(max(resource.overlapped, 0), 1 << 30) + min(max(resource.nearMisses, 0), 1 << 30)
    return contention << 32 + met
  }
}
