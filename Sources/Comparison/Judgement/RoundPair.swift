/// Two strategies on one workload, round by round.
package struct RoundPair: Sendable, Hashable {
  /// The result of the comparison.
  package enum Verdict: Sendable, Hashable {
    /// The first makes more calls a second.
    case faster
    /// The first makes fewer.
    case slower
    /// The interval of the ratio contains 1.
    case noDifferenceSeen
    /// There are too few rounds to decide.
    case tooFewRounds
  }

  /// The first's throughput relative to the second's of the same round.
  package var ratio: Interval
  /// How many rounds were compared.
  package var rounds: Int

  /// Compares two entries of one cell; rounds in which either was still warming up are left out of
  /// both.
  package init(_ first: ComparisonRecord.Entry, to second: ComparisonRecord.Entry) {
    let warmUp = max(first.warmUp, second.warmUp)
    let ratios = zip(first.rounds, second.rounds).dropFirst(warmUp).map {
      $0.throughput / $1.throughput
    }.filter { !$0.isNaN }  // A round in which neither completed a call has no ratio.
    rounds = ratios.count
    ratio = Interval(of: ratios)
  }

  /// A known pair.
  package init(ratio: Interval, rounds: Int) {
    self.ratio = ratio
    self.rounds = rounds
  }

  /// `faster` or `slower` only if the whole interval is on one side of 1.
  package var verdict: Verdict {
    guard rounds >= Interval.fewestValues else { return .tooFewRounds }
    if ratio.low > 1 { return .faster }
    return ratio.high < 1 ? .slower : .noDifferenceSeen
  }
}

extension ComparisonRecord.Entry {
  /// How many of the first rounds belong to the warm-up.
  package var warmUp: Int { warmUpRounds(rounds.map(\.throughput)) }
}
