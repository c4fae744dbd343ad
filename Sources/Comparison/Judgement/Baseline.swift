/// An earlier comparison that this one is measured by: of each strategy on each workload, its
/// throughput by that of a reference strategy in the same round. An absolute time of another
/// machine, or another day, means nothing.
package struct Baseline: Sendable, Hashable {
  /// A strategy on a workload that got slower.
  package struct Regression: Sendable, Hashable {
    /// The strategy.
    package var strategy: String
    /// The workload.
    package var cell: String
    /// How much slower it is now, in terms of the reference: 1.2 is 20 % slower; with its interval.
    package var slowdown: Interval
  }

  /// What is compared: the ratios of the rounds, by workload and strategy.
  package struct Ratios: Sendable, Hashable {
    /// By the workload's name, then the strategy's: the throughput by the reference's, of each
    /// round.
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

  /// How far a strategy may fall behind: 0.1 is 10 %.
  package var limit: Double

  /// Sets the limit.
  package init(limit: Double) { self.limit = limit }

  /// What got slower than the limit allows by the whole interval: what the noise could have done is
  /// none.
  ///
  /// - Parameters:
  ///   - now: This comparison's ratios.
  ///   - before: The earlier one's, of at least the same cells and strategies.
  /// - Returns: In the order of the workloads' names, then of the strategies'.
  package func regressions(_ now: Ratios, since before: Ratios) -> [Regression] {
    changes(now, since: before).filter { $0.slowdown.low > 1 + limit }
  }

  /// What may have got slower than the limit allows, or not: the interval has the limit in it.
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
  /// The ratio of the medians of two samples that have nothing to do with each other, each as wide
  /// as its own interval allows: so it is a little wider than it must be.
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
