import StressRunner
import Testing

@testable import Comparison

@Suite("A latency histogram")
struct HistogramTests {
  @Test(
    "A latency histogram gives every percentile of known durations to three digits",
    arguments: [1, 30, 50_000])
  func precision(scale: Int) {
    var generator = SplitMix64(seed: 7, at: scale)
    var histogram = LatencyHistogram()
    // Values over six powers of ten, as latencies have.
    let values = (0..<20_000).map { _ in
      scale * (1 << generator.next(below: 20)) + generator.next(below: scale * 100)
    }
    for value in values { histogram.record(value) }
    let sorted = values.sorted()
    for fraction in [0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999] {
      let exact = sorted[Int((fraction * Double(sorted.count)).rounded(.up)) - 1]
      let found = histogram.value(atFraction: fraction) ?? -1
      #expect(abs(Double(found - exact)) <= Double(exact) / 1024, "\(fraction): \(found), \(exact)")
    }
    #expect(histogram.value(atFraction: 1) == sorted.last)
    #expect(histogram.count == values.count)
  }

  @Test("A latency histogram counts each duration below 2,048 ns separately")
  func exactBelow() {
    for value in 0..<2048 {
      var histogram = LatencyHistogram()
      histogram.record(value)
      histogram.record(1_000_000)
      #expect(histogram.value(atFraction: 0.5) == value)
    }
  }

  @Test("A latency histogram is wrong by 1/1,024 at most at each edge between counts")
  func edges() {
    for bits in 11..<40 {
      for value in [(1 << bits) - 1, 1 << bits, (1 << bits) + 1, 3 << (bits - 1)] {
        var histogram = LatencyHistogram()
        histogram.record(value)
        histogram.record(1 << 41)
        let found = histogram.value(atFraction: 0.5) ?? -1
        #expect(abs(found - value) <= value / 1024, "\(value)")
      }
    }
  }

  @Test("A latency histogram takes the same memory for one duration and for a million, of any size")
  func memory() {
    var histogram = LatencyHistogram()
    let before = histogram.bytes
    var generator = SplitMix64(seed: 1)
    for _ in 0..<1_000_000 { histogram.record(Int(truncatingIfNeeded: generator.next() >> 1)) }
    histogram.record(.max)
    histogram.record(-1)
    #expect(histogram.bytes == before && before <= 256 * 1024)
    #expect(histogram.count == 1_000_002 && histogram.maximum == .max)
  }

  @Test("A latency histogram combines the durations of several callers")
  func adding() {
    var (all, one, other) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
    for value in 1...1000 {
      all.record(value * value)
      if value % 3 == 0 { one.record(value * value) } else { other.record(value * value) }
    }
    one.add(other)
    one.add(LatencyHistogram())
    for fraction in [0.0, 0.3, 0.5, 0.99, 1] {
      #expect(one.value(atFraction: fraction) == all.value(atFraction: fraction))
    }
    #expect(one.count == all.count && one.maximum == all.maximum)
  }

  @Test("A latency histogram is empty after a reset, and has no percentile then")
  func reset() {
    var histogram = LatencyHistogram()
    #expect(histogram.value(atFraction: 0.5) == nil)
    histogram.record(5000)
    histogram.reset()
    #expect(histogram.value(atFraction: 1) == nil && histogram.count == 0)
    histogram.record(3)
    #expect(histogram.value(atFraction: 0) == 3 && histogram.value(atFraction: 1) == 3)
  }
}
