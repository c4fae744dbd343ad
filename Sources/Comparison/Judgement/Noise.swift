/// Whether the measurements could have shown a difference of a given size.
package struct Noise: Sendable, Hashable {
  /// Two strategies whose difference is too uncertain.
  package struct Pair: Sendable, Hashable {
    /// The first strategy of the ranking.
    package var first: String
    /// The other strategy.
    package var second: String
    /// Half of the width of their ratio's interval, relative to its median: 0.1 is 10 %.
    package var halfWidth: Double
    /// About how many rounds would decide.
    package var neededRounds: Int
    /// How many rounds were measured.
    package var rounds: Int
  }

  /// The size of the difference: 0.05 is 5 %.
  package var difference: Double
  /// The pairs with the first strategy whose interval is too wide; the pair that needs the most
  /// rounds comes first.
  package var pairs: [Pair]

  /// Checks the pairs of a ranking's first strategy with those that showed no difference to it.
  package init(_ ranking: Ranking, difference: Double) {
    self.difference = difference
    guard let first = ranking.lines.first else {
      pairs = []
      return
    }
    pairs = ranking.lines.dropFirst().compactMap { line in
      let pair = line.toFirst
      guard pair.verdict == .noDifferenceSeen,
        let needed = neededRounds(for: difference, seen: pair.ratio, in: pair.rounds)
      else { return nil }
      return Pair(
        first: first.strategy, second: line.strategy, halfWidth: pair.ratio.relativeHalfWidth,
        neededRounds: needed, rounds: pair.rounds)
    }
    pairs.sort { $0.neededRounds > $1.neededRounds }
  }
}
