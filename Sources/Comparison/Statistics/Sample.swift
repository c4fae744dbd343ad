/// The middle value, or the mean of the middle two; NaN where there is no value.
package func median(_ values: [Double]) -> Double {
  medianOfSorted(values.sorted())
}

/// The median of values in ascending order.
func medianOfSorted(_ sorted: [Double]) -> Double {
  guard !sorted.isEmpty else { return .nan }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Jain's index of fairness: 1 if all shares are equal, 1/n where one of n has everything (Jain,
/// Chiu and Hawe, "A quantitative measure of fairness and discrimination", 1984).
///
/// - Parameter shares: The share of each, in any unit; all zero counts as fair.
/// - Returns: The index, above 0 and at most 1.
package func jainIndex(_ shares: [Double]) -> Double {
  let sum = shares.reduce(0, +)
  let squares = shares.reduce(0) { $0 + $1 * $1 }
  guard squares > 0 else { return 1 }
  return sum * sum / (Double(shares.count) * squares)
}
