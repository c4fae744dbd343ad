import StressRunner

/// A median, and the bounds between which it lies with a confidence of 95 %.
package struct Interval: Sendable, Hashable {
  /// The fewest values of which an interval says anything: of five, even the smallest and the largest enclose the true
  /// median only with 1 − 2/2⁵ = 93.75 %.
  package static let fewestValues = 6
  /// How often values are drawn anew.
  package static let resamples = 2000

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

  /// The percentile bootstrap of the median (Efron, 1979): as many values as there are, drawn from them with
  /// replacement, have a median; the middle 95 % of many such medians are the interval.
  ///
  /// Widened to the order statistics that enclose the median with 95 % whatever the distribution (the interval of the
  /// sign test), since the bootstrap of a dozen values is a little too narrow.
  ///
  /// - Parameters:
  ///   - values: At least `fewestValues`, or the bounds are infinite.
  ///   - seed: What is drawn follows from it: the same values and seed have the same interval.
  package init(of values: [Double], seed: UInt64) {
    let sorted = values.sorted()
    median = medianOfSorted(sorted)
    guard sorted.count >= Self.fewestValues else {
      (low, high) = (-.infinity, .infinity)
      return
    }
    var generator = SplitMix64(seed: seed, at: sorted.count)
    var medians: [Double] = []
    medians.reserveCapacity(Self.resamples)
    // By ranks: the middle of drawn ranks is the middle of the values, and a count for each rank sorts them.
    var drawn = [Int](repeating: 0, count: sorted.count)
    for _ in 0..<Self.resamples {
      for index in drawn.indices { drawn[index] = 0 }
      for _ in sorted.indices { drawn[generator.next(below: sorted.count)] += 1 }
      medians.append(Self.median(of: sorted, drawn: drawn))
    }
    medians.sort()
    let cut = Self.resamples / 40
    let rank = Self.signTestRank(count: sorted.count)
    low = min(medians[cut], sorted[rank])
    high = max(medians[Self.resamples - 1 - cut], sorted[sorted.count - 1 - rank])
  }

  /// Half of its width, by its median.
  package var relativeHalfWidth: Double { (high - low) / 2 / abs(median) }

  /// Whether a value lies outside.
  package func excludes(_ value: Double) -> Bool { value < low || value > high }

  private static func median(of sorted: [Double], drawn: [Int]) -> Double {
    let count = sorted.count
    let upper = count / 2
    let lower = count % 2 == 1 ? upper : upper - 1
    var seen = 0
    var first = 0.0
    var hasFirst = false
    for (index, times) in drawn.enumerated() where times > 0 {
      seen += times
      if !hasFirst, seen > lower {
        first = sorted[index]
        hasFirst = true
      }
      if seen > upper { return (first + sorted[index]) / 2 }
    }
    return first
  }

  /// The largest rank (from 0) below which, and above its mirror, the median lies with at most 2.5 % each: heads of a
  /// fair coin.
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
