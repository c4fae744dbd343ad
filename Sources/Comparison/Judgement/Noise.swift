/// Whether a difference of some size could have been seen at all.
package struct Noise: Sendable, Hashable {
  /// Two strategies whose difference cannot be told.
  package struct Pair: Sendable, Hashable {
    /// The faster by its median.
    package var first: String
    /// The other.
    package var second: String
    /// Half of the width of their ratio's interval: 0.1 is 10 %.
    package var halfWidth: Double
    /// About how many rounds would tell.
    package var neededRounds: Int
    /// How many there were.
    package var rounds: Int
  }

  /// The difference that was asked about: 0.05 is 5 %.
  package var difference: Double
  /// The pairs of the first with another whose interval is too wide, the widest first.
  package var pairs: [Pair]

  /// Looks at a ranking's pairs with the first that no difference was seen of.
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
