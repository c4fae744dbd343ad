/// Compares a comparison with an earlier one. Both are given as each strategy's throughput on each
/// workload relative to a reference strategy in the same round, because absolute times of another
/// machine or day mean nothing.
package struct Baseline: Sendable, Hashable {
  /// A strategy on a workload that got slower.
  package struct Regression: Sendable, Hashable {
    /// The strategy.
    package var strategy: String
    /// The workload.
    package var cell: String
    /// How much slower the strategy is now, relative to the reference strategy: 1.2 is 20 % slower.
    package var slowdown: Interval
  }

  /// The ratios of the rounds, by workload and strategy.
  package struct Ratios: Sendable, Hashable {
    /// The throughput of each round relative to the reference, by the workload's name and then the
    /// strategy's.
    package var byCell: [String: [String: [Double]]]

    /// Known ratios.
    package init(byCell: [String: [String: [Double]]]) { self.byCell = byCell }

    /// The ratios of a comparison; cells without the reference have none.
    package init(_ comparison: ComparisonRecord, to reference: String) {
      self.init(
        Dictionary(
          comparison.cells.map { ($0.cell.name, $0.entries) }, uniquingKeysWith: { one, _ in one }),
        to: reference)
    }

    /// The ratios of rounds by the workload's name.
    package init(_ cells: [String: [ComparisonRecord.Entry]], to reference: String) {
      byCell = [:]
      for (name, entries) in cells {
        guard let other = entries.first(where: { $0.strategy == reference }) else { continue }
        for entry in entries where !entry.rounds.isEmpty && entry.strategy != reference {
          let warmUp = max(entry.warmUp, other.warmUp)
          byCell[name, default: [:]][entry.strategy] =
            zip(entry.rounds, other.rounds).dropFirst(warmUp)
            .map { $0.throughput / $1.throughput }.filter { !$0.isNaN }
        }
      }
    }
  }

  /// How much slower a strategy may become: 0.1 is 10 %.
  package var limit: Double

  /// Sets the limit.
  package init(limit: Double) { self.limit = limit }

  /// The strategies that became slower than the limit by their whole interval, so not by noise
  /// alone.
  ///
  /// - Parameters:
  ///   - now: This comparison's ratios.
  ///   - before: The earlier one's, of at least the same cells and strategies.
  /// - Returns: Sorted by the workloads' names, then by the strategies'.
  package func regressions(_ now: Ratios, since before: Ratios) -> [Regression] {
    changes(now, since: before).filter { $0.slowdown.low > 1 + limit }
  }

  /// The strategies that may have become slower than the limit: their interval contains it.
  package func undecided(_ now: Ratios, since before: Ratios) -> [Regression] {
    changes(now, since: before).filter {
      $0.slowdown.low <= 1 + limit && $0.slowdown.high > 1 + limit
    }
  }

  private func changes(_ now: Ratios, since before: Ratios) -> [Regression] {
    var found: [Regression] = []
    for (cell, strategies) in now.byCell.sorted(by: { $0.key < $1.key }) {
      for (strategy, ratios) in strategies.sorted(by: { $0.key < $1.key }) {
        guard let earlier = before.byCell[cell]?[strategy] else { continue }
        let slowdown = Interval(ofRatio: earlier, to: ratios)
        found.append(Regression(strategy: strategy, cell: cell, slowdown: slowdown))
      }
    }
    return found
  }
}

extension Interval {
  /// The ratio of the medians of two independent samples, from the bounds of their intervals; so it
  /// is slightly wider than necessary.
  package init(ofRatio first: [Double], to second: [Double]) {
    let (one, other) = (Interval(of: first), Interval(of: second))
    guard one.low > 0, other.low > 0, one.high.isFinite, other.high.isFinite else {
      self.init(median: one.median / other.median, low: 0, high: .infinity)
      return
    }
    self.init(
      median: one.median / other.median, low: one.low / other.high, high: one.high / other.low)
  }
}
