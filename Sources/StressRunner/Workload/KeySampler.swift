/// Draws keys from a workload's distribution.
package struct KeySampler: Sendable {
  private let keys: Int
  private let distribution: Workload.Distribution
  /// For Zipf, the cumulative sums of 1/(r+1) over the ranks; otherwise empty.
  private let cumulative: [Double]

  /// Creates a sampler for `keys` keys.
  package init(keys: Int, distribution: Workload.Distribution) {
    self.keys = keys
    self.distribution = distribution
    var sums: [Double] = []
    if distribution == .zipf {
      sums.reserveCapacity(keys)
      var sum = 0.0
      for rank in 1...keys {
        sum += 1 / Double(rank)
        sums.append(sum)
      }
    }
    cumulative = sums
  }

  /// The key that a caller uses, by its number from 0.
  package func key(for caller: Int, using generator: inout SplitMix64) -> Int {
    switch distribution {
    case .uniform: generator.next(below: keys)
    case .perCaller: caller % keys
    case .zipf: rank(at: generator.nextFraction())
    }
  }

  /// The first rank whose cumulative probability is above `fraction`: the inverse of the
  /// distribution.
  private func rank(at fraction: Double) -> Int {
    let sought = fraction * (cumulative.last ?? 0)
    var low = 0
    var high = keys - 1
    while low < high {
      let middle = (low + high) / 2
      if cumulative[middle] > sought { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
