/// How many of the first rounds belong to the warm-up, by the marginal standard error rule (White,
/// "An effective truncation heuristic for bias reduction in simulation output", 1997): the number,
/// at most half, that minimises the standard error of the mean of the rest.
///
/// A beginning is only left out if it lies outside the range of the rest; otherwise the rule would
/// sometimes drop first rounds of plain noise.
///
/// - Parameter values: A figure of each round, in the order of measurement.
/// - Returns: 0 if the beginning is like the rest.
package func warmUpRounds(_ values: [Double]) -> Int {
  var best = (rounds: 0, error: Double.infinity)
  for rounds in 0...(values.count / 2) {
    let rest = values[rounds...]
    guard rest.count > 1 else { break }
    let mean = rest.reduce(0, +) / Double(rest.count)
    let squares = rest.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let error = squares / Double(rest.count * rest.count)
    if error < best.error { best = (rounds, error) }
  }
  let rest = values[best.rounds...]
  guard best.rounds > 0, let low = rest.min(), let high = rest.max() else { return 0 }
  // Widen the range by its whole length on both sides, which noise alone does not exceed.
  let room = (high - low)
  return values[..<best.rounds].prefix { $0 < low - room || $0 > high + room }.count
}
