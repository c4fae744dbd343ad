import StressRunner
import Testing

@testable import Comparison

@Suite("The statistics of a comparison")
struct StatisticsTests {
  @Test(
    "The statistics call equal strategies equal with at least 94 of 100 seeds",
    arguments: [8, 12, 20])
  func equalIsEqual(count: Int) {
    let equal = (0..<100).count { seed in
      let (one, other) = rounds(count, factor: 1, noise: 0.05, seed: UInt64(seed))
      return RoundPair(one, to: other).verdict == .noDifferenceSeen
    }
    #expect(equal >= 94, "\(equal) of 100")
  }

  @Test("The statistics find a difference of 10 % under noise of 5 % with at least 94 of 100 seeds")
  func differenceIsFound() {
    let found = (0..<100).count { seed in
      let (one, other) = rounds(20, factor: 1.1, noise: 0.05, seed: UInt64(seed))
      return RoundPair(one, to: other).verdict == .faster
    }
    #expect(found >= 94, "\(found) of 100")
  }

  @Test("The statistics never call the slower strategy faster if the difference is 10 %")
  func neverTheWrongWay() {
    for seed in 0..<200 {
      let (one, other) = rounds(12, factor: 1.1, noise: 0.05, seed: UInt64(seed))
      #expect(RoundPair(one, to: other).verdict != .slower)
      #expect(RoundPair(other, to: one).verdict != .faster)
    }
  }

  @Test(
    "The statistics have the true median in at least 94 of 100 intervals of any distribution"
  )
  func coverage() {
    var generator = SplitMix64(seed: 5)
    // The median is 0.25: a square is as skewed as latencies are.
    let covered = (0..<500).count { trial in
      let values = (0..<12).map { _ in
        let fraction = generator.nextFraction()
        return fraction * fraction
      }
      return !Interval(of: values).excludes(0.25)
    }
    #expect(covered >= 470, "\(covered) of 500")
  }

  @Test("The statistics get narrower with more rounds, by about the square root")
  func narrower() {
    func width(_ count: Int) -> Double {
      var normal = NormalNumbers(seed: 3)
      let widths = (0..<40).map { _ in
        Interval(of: (0..<count).map { _ in 10 + normal.next() })
      }.map { $0.high - $0.low }
      return median(widths)
    }
    let factor = width(16) / width(64)
    #expect(factor > 1.6 && factor < 2.7, "\(factor)")
  }

  @Test("The statistics draw no conclusion from fewer than six rounds")
  func tooFew() {
    let (one, other) = rounds(5, factor: 3, noise: 0.01, seed: 1)
    #expect(RoundPair(one, to: other).verdict == .tooFewRounds)
    #expect(Interval(of: [1, 2, 3, 4, 5]).low == -.infinity)
    #expect(Interval(of: [1, 2, 3, 4, 5]).median == 3)
    let (more, others) = rounds(6, factor: 3, noise: 0.01, seed: 1)
    #expect(RoundPair(more, to: others).verdict == .faster)
  }

  @Test("The statistics give the same interval for the same values in any order")
  func repeatable() {
    let values = around(100)
    #expect(Interval(of: values) == Interval(of: values.reversed()))
  }

  @Test("The statistics take the order statistics of the sign test: ranks from the tables")
  func signTest() {
    // Dixon and Massey's table for 95 %: the k-th smallest and the k-th largest value. Ranks here
    // count from 0.
    for (count, rank) in [(6, 1), (8, 1), (9, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10)] {
      #expect(Interval.signTestRank(count: count) == rank - 1, "\(count)")
    }
    // For more values, by the normal distribution, whose quantile at 2.5 % is 1.96.
    for count in [1000, 1075, 5000, 100_000] {
      let rank = Double(count) / 2 - 1.96 * Double(count).squareRoot() / 2
      #expect(abs(Double(Interval.signTestRank(count: count)) - rank) < 2, "\(count)")
    }
  }

  @Test("The statistics have the bootstrap's bounds, as drawing many samples finds them")
  func bootstrap() {
    for count in [9, 15, 25, 51] {
      var generator = SplitMix64(seed: UInt64(count))
      let medians = (0..<20_000).map { _ in
        (0..<count).map { _ in generator.next(below: count) }.sorted()[(count - 1) / 2]
      }.sorted()
      // Each rank has several per cent of the samples, so chance can only shift the edge.
      let drawn = medians[medians.count / 40]
      #expect(abs(Interval.bootstrapRank(count: count) - drawn) <= 1, "\(count)")
    }
  }

  @Test("The statistics measure fairness by Jain's index")
  func jain() {
    #expect(jainIndex([5, 5, 5, 5]) == 1)
    #expect(jainIndex([8, 0, 0, 0]) == 0.25)
    #expect(abs(jainIndex([3, 1]) - 0.8) < 1e-12)
    #expect(jainIndex([0, 0]) == 1 && jainIndex([]) == 1)
  }

  @Test("The statistics leave out a beginning that differs from the rest, and none of plain noise")
  func warmUp() {
    #expect(warmUpRounds([20, 55, 99, 100, 101, 100, 99, 101, 100, 99, 100, 101]) == 2)
    #expect(warmUpRounds([300, 100, 101, 100, 99, 101, 100, 99]) == 1)
    let cut = (0..<200).count { seed in
      var normal = NormalNumbers(seed: UInt64(seed))
      return warmUpRounds((0..<12).map { _ in 100 + normal.next() }) > 0
    }
    #expect(cut <= 6, "\(cut) of 200")
    #expect(warmUpRounds([]) == 0 && warmUpRounds([1]) == 0 && warmUpRounds([5, 5, 5]) == 0)
  }

  @Test(
    "The statistics give the number of rounds that a difference takes, or nil if there are enough"
  )
  func needed() {
    let wide = Interval(median: 1, low: 1 / 1.2, high: 1.2)
    // Four times the width needs sixteen times the rounds.
    #expect(neededRounds(for: 0.2, seen: wide, in: 10) == nil)
    let rounds = neededRounds(for: 0.0466, seen: wide, in: 10) ?? 0
    #expect((155...165).contains(rounds), "\(rounds)")
    #expect(neededRounds(for: 0.05, seen: Interval(of: [1, 2]), in: 2) == nil)
  }

  @Test("The statistics need no further rounds after the number of rounds that they give")
  func neededIsEnough() throws {
    let (one, other) = rounds(12, factor: 1, noise: 0.1, seed: 8)
    let pair = RoundPair(one, to: other)
    let needed = try #require(neededRounds(for: 0.05, seen: pair.ratio, in: pair.rounds))
    let (many, others) = rounds(needed * 2, factor: 1, noise: 0.1, seed: 9)
    let later = RoundPair(many, to: others)
    #expect(neededRounds(for: 0.05, seen: later.ratio, in: later.rounds) == nil)
  }
}
