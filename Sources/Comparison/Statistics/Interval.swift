import Foundation

/// A median, and the bounds between which it lies with a confidence of 95 %.
package struct Interval: Sendable, Hashable {
  /// The fewest values of which an interval says anything: of five, even the smallest and the
  /// largest enclose the true median only with 1 − 2/2⁵ = 93.75 %.
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
  /// Nothing is drawn: how likely each order statistic is to be the median of such a sample is
  /// known exactly (Maritz and Jarrett, 1978). Widened to the order statistics that enclose the
  /// median with 95 % whatever the distribution (the interval of the sign test), since the
  /// bootstrap of a dozen values is a little too narrow.
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

  /// Half of its width, by its median.
  package var relativeHalfWidth: Double { (high - low) / 2 / abs(median) }

  /// Whether a value lies outside.
  package func excludes(_ value: Double) -> Bool { value < low || value > high }

  /// The rank (from 0) of the order statistic at 2.5 % of the medians of drawn samples; that at
  /// 97.5 % is its mirror.
  ///
  /// Of a sample, the lower middle value is at most the value of rank k if at least half of what
  /// was drawn is: each draw is so with a probability of (k + 1)/n.
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

  /// How likely at least so many of `count` independent events are, each of this probability.
  private static func atLeast(_ needed: Int, of count: Int, each probability: Double) -> Double {
    guard probability < 1 else { return 1 }
    var sum = 0.0
    for times in needed...count {
      // By logarithms: of a thousand, the factors are beyond any number.
      let ways =
        lgamma(Double(count + 1)) - lgamma(Double(times + 1))
        - lgamma(Double(count - times + 1))
      sum += exp(
        ways + Double(times) * log(probability) + Double(count - times) * log(1 - probability))
    }
    return sum
  }

  /// The largest rank (from 0) below which, and above its mirror, the median lies with at most 2.5
  /// % each: heads of a fair coin.
  static func signTestRank(count: Int) -> Int {
    var probability = 1.0
    for _ in 0..<count { probability /= 2 }
    var cumulative = probability
    var rank = 0
    while cumulative <= 0.025 {
      probability *= Double(count - rank) / Double(rank + 1)
      cumulative += probability
      rank += 1
    }
    return max(0, rank - 1)
  }
}
