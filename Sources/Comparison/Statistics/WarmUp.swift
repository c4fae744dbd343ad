/// How many of the first rounds were not yet like the others, by the marginal standard error rule
/// (White, "An effective truncation heuristic for bias reduction in simulation output", 1997): as
/// many are left out as make the standard error of the rest's mean smallest, at most half.
///
/// Only a beginning that lies outside of what the rest does is left out at all: without that, the
/// rule would take the first rounds of plain noise away now and then.
///
/// - Parameter values: A figure of each round, in the order of time.
/// - Returns: 0 where the beginning is like the rest.
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
  // The whole range again on both sides: a first round of plain noise is not that far off.
  let room = (high - low)
  return values[..<best.rounds].prefix { $0 < low - room || $0 > high + room }.count
}
