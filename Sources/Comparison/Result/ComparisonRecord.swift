/// The measurements of a comparison, and what it ran on; its reports use nothing else.
package struct ComparisonRecord: Sendable, Hashable {
  /// A strategy, and whether it may be ranked.
  package struct Strategy: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// How it works, in one line.
    package var summary: String
    /// The heap memory of one lock, bytes.
    package var bytesPerLock: Int?
    /// Why the strategy is not ranked; `nil` if no fault was found.
    package var fault: Fault?

    /// Describes a strategy.
    package init(name: String, summary: String, bytesPerLock: Int? = nil, fault: Fault? = nil) {
      self.name = name
      self.summary = summary
      self.bytesPerLock = bytesPerLock
      self.fault = fault
    }
  }

  /// Why a strategy has no rank.
  package struct Fault: Sendable, Hashable {
    /// The verdict.
    package var verdict: String
    /// The reason, in one line.
    package var message: String

    /// Describes a fault.
    package init(verdict: String, message: String) {
      self.verdict = verdict
      self.message = message
    }
  }

  /// The rounds of a strategy on a workload, in the order of measurement.
  package struct Entry: Sendable, Hashable {
    /// The strategy.
    package var strategy: String
    /// Its rounds; the same index in two entries of a cell is the same round.
    package var rounds: [RoundFigures]

    /// Describes an entry.
    package init(strategy: String, rounds: [RoundFigures] = []) {
      self.strategy = strategy
      self.rounds = rounds
    }
  }

  /// A workload and its measurements.
  package struct CellResult: Sendable, Hashable {
    /// The workload.
    package var cell: Cell
    /// An entry for each strategy that was measured, in the order of `strategies`.
    package var entries: [Entry]

    /// Describes a workload's results.
    package init(cell: Cell, entries: [Entry]) {
      self.cell = cell
      self.entries = entries
    }
  }

  /// The cost of the harness itself, on one thread, compared with the cheapest strategy.
  package struct Overhead: Sendable, Hashable {
    /// The harness's cost of a call that does nothing; nanoseconds.
    package var emptyNanoseconds: Double
    /// A call of the cheapest strategy, harness included; nanoseconds.
    package var cheapestNanoseconds: Double
    /// The name of that strategy.
    package var cheapest: String
    /// The time that reading the clock adds to a timed call; nanoseconds.
    package var clockNanoseconds: Double

    /// Describes the cost.
    package init(
      emptyNanoseconds: Double, cheapestNanoseconds: Double, cheapest: String,
      clockNanoseconds: Double
    ) {
      self.clockNanoseconds = clockNanoseconds
      self.emptyNanoseconds = emptyNanoseconds
      self.cheapestNanoseconds = cheapestNanoseconds
      self.cheapest = cheapest
    }

    /// The harness's cost relative to the strategy's alone: 0.05 is 5 %.
    package var part: Double { emptyNanoseconds / (cheapestNanoseconds - emptyNanoseconds) }
  }

  /// The strategies, ranked or not.
  package var strategies: [Strategy]
  /// The workloads, the base first.
  package var cells: [CellResult]
  /// The seed of all random choices.
  package var seed: UInt64
  /// The planned length of each round; seconds.
  package var roundSeconds: Double
  /// The planned number of rounds.
  package var plannedRounds: Int
  /// The requested calls a second of all callers; `nil` if each caller calls as fast as it can.
  package var rate: Double?
  /// What the correctness pass could detect, in one line.
  package var check: String
  /// The harness's own cost; `nil` if it was not measured.
  package var overhead: Overhead?
  /// Notes that a reader needs to interpret the figures, a line each.
  package var notes: [String]

  /// Describes a comparison before its measurements.
  package init(
    strategies: [Strategy], cells: [CellResult] = [], seed: UInt64, roundSeconds: Double,
    plannedRounds: Int, rate: Double? = nil, check: String = "", overhead: Overhead? = nil,
    notes: [String] = []
  ) {
    self.strategies = strategies
    self.cells = cells
    self.seed = seed
    self.roundSeconds = roundSeconds
    self.plannedRounds = plannedRounds
    self.rate = rate
    self.check = check
    self.overhead = overhead
    self.notes = notes
  }

  /// How many rounds of every cell were measured.
  package var completeRounds: Int {
    cells.map { $0.entries.map(\.rounds.count).max() ?? 0 }.min() ?? 0
  }

  /// The names of the strategies that may be ranked, in order.
  package var ranked: [String] { strategies.filter { $0.fault == nil }.map(\.name) }
}
