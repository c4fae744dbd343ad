import Foundation

/// How many rounds it would take to see a difference of this size, where the interval of a ratio is
/// still wider.
///
/// An interval shrinks with the square root of the number of rounds.
///
/// - Parameters:
///   - difference: The difference asked about: 0.05 is 5 %.
///   - ratio: The interval of the ratio so far.
///   - rounds: Of how many rounds it is.
/// - Returns: The number of rounds; `nil` where those that were made are enough, or nothing can be
///   told.
package func neededRounds(for difference: Double, seen ratio: Interval, in rounds: Int) -> Int? {
  guard ratio.low > 0, ratio.high.isFinite, difference > 0 else { return nil }
  let halfWidth = (log(ratio.high) - log(ratio.low)) / 2
  let wanted = log(1 + difference)
  guard halfWidth > wanted else { return nil }
  return Int((Double(rounds) * (halfWidth / wanted) * (halfWidth / wanted)).rounded(.up))
}
