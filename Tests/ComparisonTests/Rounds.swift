import StressRunner

@testable import Comparison

/// Numbers of a normal distribution, equal for the same seed.
struct NormalNumbers {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed, at: 99) }

  /// The sum of twelve uniform numbers minus six: mean 0, variance 1.
  mutating func next() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + generator.nextFraction() }
  }
}

/// Rounds of two strategies on a machine whose speed drifts for both alike. Each strategy has its
/// own noise.
///
/// - Parameters:
///   - count: The number of rounds.
///   - factor: The ratio of the first's throughput to the second's.
///   - noise: The relative standard deviation of one round.
///   - seed: Determines all numbers.
/// - Returns: The two strategies' rounds.
func rounds(
  _ count: Int, factor: Double, noise: Double, seed: UInt64
) -> (ComparisonRecord.Entry, ComparisonRecord.Entry) {
  var normal = NormalNumbers(seed: seed)
  var (one, other) = (
    ComparisonRecord.Entry(strategy: "one"), ComparisonRecord.Entry(strategy: "other")
  )
  for _ in 0..<count {
    let drift = 1 + 0.2 * normal.next().magnitude
    one.rounds.append(round(1e6 * drift * factor * (1 + noise * normal.next())))
    other.rounds.append(round(1e6 * drift * (1 + noise * normal.next())))
  }
  return (one, other)
}

/// A round of one second with this number of calls.
func round(_ calls: Double) -> RoundFigures {
  RoundFigures(operations: Int(calls), seconds: 1)
}

/// A comparison of known throughputs: for each workload and each strategy, the calls per second of
/// the rounds.
func record(_ cells: [(Cell, [(String, [Double])])], seed: UInt64 = 1) -> ComparisonRecord {
  let names = cells.first?.1.map(\.0) ?? []
  return ComparisonRecord(
    strategies: names.map { .init(name: $0, summary: "is \($0)") },
    cells: cells.map { cell, entries in
      .init(
        cell: cell,
        entries: entries.map { .init(strategy: $0.0, rounds: $0.1.map { round($0) }) })
    }, seed: seed, roundSeconds: 1, plannedRounds: cells.first?.1.first?.1.count ?? 0)
}

/// A dozen slightly different rounds around a number of calls, in an order that the seed
/// determines.
func around(_ calls: Double, seed: UInt64 = 1) -> [Double] {
  var normal = NormalNumbers(seed: seed)
  return (0..<12).map { _ in calls * (1 + 0.005 * normal.next()) }
}

/// Four threads, of whose calls nine in ten read.
let baseCell = Cell(threads: 4, reads: 90, sectionNanoseconds: 100, keys: 1000)
