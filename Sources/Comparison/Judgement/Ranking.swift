/// The strategies of one workload, the fastest first.
package struct Ranking: Sendable, Hashable {
  /// The figures of one strategy.
  package struct Line: Sendable, Hashable {
    /// The strategy.
    package var strategy: String
    /// Calls a second.
    package var throughput: Interval
    /// Its throughput relative to the first strategy's of the same round; the first's is 1.
    package var toFirst: RoundPair
    /// The percentiles of a call's duration; nanoseconds.
    package var latencies: [LatencyPoint: Interval]
    /// An upper bound of a call's duration in a round; nanoseconds.
    package var longestWait: Interval
    /// Jain's index.
    package var fairness: Interval
    /// The largest share of one caller.
    package var largestShare: Interval
    /// Processor time of a call; nanoseconds.
    package var processorNanoseconds: Interval
    /// How often threads waited, per thousand calls.
    package var voluntarySwitches: Interval
    /// How often threads were preempted, per thousand calls.
    package var involuntarySwitches: Interval
    /// The threads on which callers ran.
    package var threads: Interval
    /// How many rounds were counted, without those of the warm-up.
    package var rounds: Int
    /// How many rounds of the warm-up were left out.
    package var warmUp: Int
  }

  /// The workload.
  package var cell: Cell
  /// The measured strategies that may be ranked, the fastest first.
  package var lines: [Line]

  /// Ranks the strategies measured on a workload, without those that have a fault.
  package init(_ result: ComparisonRecord.CellResult, of comparison: ComparisonRecord) {
    cell = result.cell
    let ranked = Set(comparison.ranked)
    let entries = Self.unbeatenFirst(
      result.entries.filter { ranked.contains($0.strategy) && !$0.rounds.isEmpty }
        .map { ($0, median($0.rounds.dropFirst($0.warmUp).map(\.throughput))) }
        .sorted { $0.1 > $1.1 }.map(\.0))
    guard let first = entries.first else {
      lines = []
      return
    }
    lines = entries.map { Line($0, first: first) }
  }

  /// The entries with one first that no other beats, in the order of their figures otherwise.
  ///
  /// The highest figure does not suffice: the rounds of a machine whose speed drifts may show that
  /// another strategy is faster in nearly every round. Only rounds in which strategies beat each
  /// other in a circle leave a first that another beats.
  private static func unbeatenFirst(
    _ sorted: [ComparisonRecord.Entry]
  ) -> [ComparisonRecord.Entry] {
    var entries = sorted
    var beaten: Set<String> = []
    while let first = entries.first,
      let faster = entries.firstIndex(where: {
        !beaten.contains($0.strategy) && RoundPair($0, to: first).verdict == .faster
      })
    {
      beaten.insert(first.strategy)
      entries.insert(entries.remove(at: faster), at: 0)
    }
    return entries
  }

  /// The first strategy and those that are not shown to be slower than it; none if there are too
  /// few rounds.
  package var leaders: [String] {
    guard let first = lines.first, first.rounds >= Interval.fewestValues else { return [] }
    return lines.indices.filter(isLeader).map { lines[$0].strategy }
  }

  /// True for the first line, and for one whose rounds do not show that it is slower.
  package func isLeader(_ index: Int) -> Bool {
    switch lines[index].toFirst.verdict {
    case .noDifferenceSeen, .faster: true
    case .slower, .tooFewRounds: index == 0
    }
  }

  /// The figures of a strategy.
  package func line(of strategy: String) -> Line? { lines.first { $0.strategy == strategy } }
}

extension Ranking.Line {
  init(_ entry: ComparisonRecord.Entry, first: ComparisonRecord.Entry) {
    let warmUp = entry.warmUp
    let counted = entry.rounds.dropFirst(warmUp)
    func interval(_ figure: (RoundFigures) -> Double?) -> Interval {
      Interval(of: counted.compactMap(figure))
    }
    func forThousand(_ count: Int, _ figures: RoundFigures) -> Double {
      Double(count) * 1000 / Double(max(1, figures.operations))
    }
    strategy = entry.strategy
    self.warmUp = warmUp
    rounds = counted.count
    throughput = interval(\.throughput)
    toFirst = RoundPair(entry, to: first)
    latencies = [:]
    for point in LatencyPoint.allCases {
      latencies[point] = interval { $0.latencies[point].map(Double.init) }
    }
    longestWait = interval { Double($0.longestWait) }
    fairness = interval(\.fairness)
    largestShare = interval(\.largestShare)
    processorNanoseconds = interval(\.processorNanoseconds)
    voluntarySwitches = interval { forThousand($0.voluntarySwitches, $0) }
    involuntarySwitches = interval { forThousand($0.involuntarySwitches, $0) }
    threads = interval { Double($0.threads) }
  }
}
