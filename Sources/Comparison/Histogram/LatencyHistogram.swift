/// Counts durations to three significant digits, in memory of fixed size.
///
/// The layout is that of HdrHistogram (Gil Tene, 2012): 2,048 places for the durations below 2,048
/// ns, one each, and 1,024 more for each doubling; so a duration is known to within 1/1,024 of
/// itself. Up to 2⁴⁰ ns (18 minutes) that takes 248 KiB; a longer duration counts as the longest.
/// Not thread-safe.
package struct LatencyHistogram: Sendable {
  private static let precisionBits = 11
  private static let half = 1 << (precisionBits - 1)
  /// The longest duration with a count of its own; nanoseconds.
  package static let longest = 1 << 40

  private var counts: [UInt64]
  private var lowest: Int
  private var highest = -1
  /// How many durations were recorded.
  package private(set) var count = 0
  /// The longest duration, exactly; 0 if there is none.
  package private(set) var maximum = 0

  /// An empty histogram.
  package init() {
    counts = [UInt64](repeating: 0, count: Self.index(of: Self.longest) + 1)
    lowest = counts.count
  }

  /// The memory of the counts, which is constant.
  package var bytes: Int { counts.count * MemoryLayout<UInt64>.stride }

  /// Counts one duration in nanoseconds; a negative one counts as 0.
  @inline(__always)
  package mutating func record(_ nanoseconds: Int) {
    let value = max(0, nanoseconds)
    let index = Self.index(of: min(value, Self.longest))
    counts[index] &+= 1
    count &+= 1
    if value > maximum { maximum = value }
    if index < lowest { lowest = index }
    if index > highest { highest = index }
  }

  /// Adds another histogram's counts.
  package mutating func add(_ other: LatencyHistogram) {
    guard other.count > 0 else { return }
    for index in other.lowest...other.highest { counts[index] += other.counts[index] }
    count += other.count
    maximum = max(maximum, other.maximum)
    lowest = min(lowest, other.lowest)
    highest = max(highest, other.highest)
  }

  /// Sets all counts to 0, and keeps the memory.
  package mutating func reset() {
    if count > 0 { for index in lowest...highest { counts[index] = 0 } }
    lowest = counts.count
    highest = -1
    count = 0
    maximum = 0
  }

  /// The shortest duration that at least this fraction of all durations does not exceed.
  ///
  /// - Parameter fraction: 0 to 1: 0.99 is the 99th percentile, 1 the maximum.
  /// - Returns: Nanoseconds, to within 1/1,024; `nil` if nothing was recorded.
  package func value(atFraction fraction: Double) -> Int? {
    guard count > 0 else { return nil }
    // Slightly less, so that 0.9 of 10 is the ninth although the binary 0.9 exceeds nine tenths.
    let wanted = max(1, Int((fraction * Double(count) - 1e-9 * Double(count)).rounded(.up)))
    if wanted >= count { return maximum }
    var seen = 0
    for index in lowest...highest {
      seen += Int(counts[index])
      if seen >= wanted { return min(maximum, Self.middle(ofIndex: index)) }
    }
    return maximum
  }

  /// The index of a duration's count.
  private static func index(of value: Int) -> Int {
    let bits = Int.bitWidth - value.leadingZeroBitCount
    let shift = max(0, bits - precisionBits)
    return shift * half + value >> shift
  }

  /// The middle of the durations that share a count.
  private static func middle(ofIndex index: Int) -> Int {
    let shift = max(0, index / half - 1)
    let low = (index - shift * half) << shift
    return low + (1 << shift) / 2
  }
}
