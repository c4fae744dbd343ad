import Comparison
import StressRunner

@testable import Reports

/// A comparison with known figures: three ranked strategies and an unranked one, on five workloads.
enum ComparisonSamples {
  static let context = ReportContext(
    version: "1.2.3", host: .init(system: "Test OS 1", cores: 2, swift: "6.3"), seed: 1,
    command: "interlock")

  static let base = Cell(threads: 4, reads: 90, sectionNanoseconds: 100, keys: 1000)

  /// Contains a text that a page could take for markup, and a terminal for a command.
  static let record = make(bad: "bad<script>\u{1B}[2J")

  static func make(bad: String) -> ComparisonRecord {
    var cells: [Cell] = [base]
    for (threads, reads) in [(1, 90), (1, 100), (4, 100), (4, 0)] {
      var cell = base
      cell.threads = threads
      cell.reads = reads
      cells.append(cell)
    }
    return ComparisonRecord(
      strategies: [
        .init(name: "quick", summary: "is quick", bytesPerLock: 64),
        .init(name: "twin", summary: "is as quick", bytesPerLock: 96),
        .init(name: "slow", summary: "is slow", bytesPerLock: nil),
        .init(
          name: bad, summary: "is \"wrong\" & <b>bold</b>",
          fault: .init(verdict: "race", message: "two of <them> & one 'lock'")),
      ],
      cells: cells.map { cell in
        .init(
          cell: cell,
          entries: [
            .init(strategy: "quick", rounds: rounds(2_000_000, cell)),
            .init(strategy: "twin", rounds: rounds(2_000_000, cell, phase: 3)),
            .init(
              strategy: "slow", rounds: rounds(cell.reads == 100 ? 4_000_000 : 500_000, cell)),
          ])
      }, seed: 1, roundSeconds: 0.05, plannedRounds: 8, check: "sections are on",
      overhead: .init(
        emptyNanoseconds: 1.5, cheapestNanoseconds: 101.5, cheapest: "quick", clockNanoseconds: 24),
      notes: ["a note of the machine"])
  }

  private static func rounds(_ calls: Int, _ cell: Cell, phase: Int = 0) -> [RoundFigures] {
    (0..<8).map { round in
      var figures = RoundFigures(
        operations: (calls + calls / 100 * ((round + phase) % 4)) / 20, seconds: 0.05)
      for (index, point) in LatencyPoint.allCases.enumerated() {
        figures.latencies[point] = [100, 250, 1500, 40_000, 3_000_000][index] + round
      }
      figures.timed = 1000
      figures.longestWait = 3_500_000
      figures.fairness = cell.threads == 1 ? 1 : 0.75
      figures.largestShare = cell.threads == 1 ? 1 : 0.5
      figures.processorNanoseconds = 120
      figures.voluntarySwitches = 12
      figures.involuntarySwitches = 3
      figures.threads = cell.threads
      return figures
    }
  }
}
