import Foundation

/// A median, and its confidence interval of 95 %.
package struct Interval: Sendable, Hashable {
  /// The fewest values that give an interval: of five, even the smallest and the largest enclose
  /// the true median only with 1 − 2/2⁵ = 93.75 %.
  package static let fewestValues = 6

  /// The median.
  package var median: Double
  /// The lower bound.
  package var low: Double
  /// The upper bound.
  package var high: Double

  /// A known interval.
  package init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// The percentile bootstrap of the median (Efron, 1979): the middle 95 % of the medians of all
  /// samples that can be drawn from the values with replacement.
  ///
  /// No sample is drawn: the probability that an order statistic is the median of such a sample is
  /// known exactly (Maritz and Jarrett, 1978). The interval is widened to the order statistics that
  /// enclose the median with 95 % for any distribution (the interval of the sign test), because the
  /// bootstrap of a dozen values is slightly too narrow.
  ///
  /// - Parameter values: At least `fewestValues`, or the bounds are infinite.
  package init(of values: [Double]) {
    let sorted = values.sorted()
    median = medianOfSorted(sorted)
    let count = sorted.count
    guard count >= Self.fewestValues else {
      (low, high) = (-.infinity, .infinity)
      return
    }
    let rank = min(Self.signTestRank(count: count), Self.bootstrapRank(count: count))
    low = sorted[rank]
    high = sorted[count - 1 - rank]
  }

  /// Half of its width, relative to its median.
  package var relativeHalfWidth: Double { (high - low) / 2 / abs(median) }

  /// Whether a value lies outside the interval.
  package func excludes(_ value: Double) -> Bool { value < low || value > high }

  /// The rank (from 0) of the order statistic at 2.5 % of the medians of drawn samples; that at
  /// 97.5 % is its mirror.
  ///
  /// The lower median of a sample is at most the value of rank k if at least half of the draws are
  /// at most that value, and each draw is with a probability of (k + 1)/n.
  static func bootstrapRank(count: Int) -> Int {
    let needed = (count + 1) / 2
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low + high) / 2
      let part = Double(middle + 1) / Double(count)
      if atLeast(needed, of: count, each: part) > 0.025 { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The probability of at least `needed` of `count` independent events.
  private static func atLeast(_ needed: Int, of count: Int, each probability: Double) -> Double {
    guard probability < 1 else { return 1 }
    var sum = 0.0
    for times in needed...count {
      // Use logarithms: the factorial of a thousand overflows.
      let ways =
        lgamma(Double(count + 1)) - lgamma(Double(times + 1))
        - lgamma(Double(count - times + 1))
      sum += exp(
        ways + Double(times) * log(probability) + Double(count - times) * log(1 - probability))
    }
    return sum
  }

  /// The largest rank (from 0) such that the true median lies below the value of that rank with a
  /// probability of at most 2.5 %, and above the value of the mirrored rank with the same. The
  /// number of values below the median is distributed as the heads of a fair coin.
  static func signTestRank(count: Int) -> Int {
    // Use logarithms: the probability that a thousand tosses have no head is below the smallest
    // number.
    var probability = -Double(count) * log(2)
    var cumulative = exp(probability)
    var rank = 0
    while cumulative <= 0.025 {
      probability += log(Double(count - rank) / Double(rank + 1))
      cumulative += exp(probability)
      rank += 1
    }
    return max(0, rank - 1)
  }
}
