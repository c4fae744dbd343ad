import Foundation

/// How many rounds would show a difference of this size, if the interval of a ratio is still wider.
///
/// An interval shrinks with the square root of the number of rounds.
///
/// - Parameters:
///   - difference: The size of the difference: 0.05 is 5 %.
///   - ratio: The interval of the ratio so far.
///   - rounds: How many rounds gave the interval.
/// - Returns: The number of rounds; `nil` if the measured ones suffice, or the interval is
///   unbounded.
package func neededRounds(for difference: Double, seen ratio: Interval, in rounds: Int) -> Int? {
  guard ratio.low > 0, ratio.high.isFinite, difference > 0 else { return nil }
  let halfWidth = (log(ratio.high) - log(ratio.low)) / 2
  let wanted = log(1 + difference)
  guard halfWidth > wanted else { return nil }
  return Int((Double(rounds) * (halfWidth / wanted) * (halfWidth / wanted)).rounded(.up))
}
