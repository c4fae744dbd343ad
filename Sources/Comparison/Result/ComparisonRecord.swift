/// What a comparison has measured, and what it ran on: the one thing that its reports are made
/// from.
package struct ComparisonRecord: Sendable, Hashable {
  /// A strategy, and whether it may be ranked.
  package struct Strategy: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// How it works, in one line.
    package var summary: String
    /// The heap that one lock takes, bytes.
    package var bytesPerLock: Int?
    /// What was found wrong with it, in one line; `nil` where nothing was. With it, it has no rank.
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

  /// The rounds of a strategy on a workload, in the order of time.
  package struct Entry: Sendable, Hashable {
    /// The strategy.
    package var strategy: String
    /// Its rounds; the same place in two entries of a cell is the same round.
    package var rounds: [RoundFigures]

    /// Describes an entry.
    package init(strategy: String, rounds: [RoundFigures] = []) {
      self.strategy = strategy
      self.rounds = rounds
    }
  }

  /// A workload and what was measured on it.
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

  /// What the harness itself costs, on one thread, beside the cheapest strategy.
  package struct Overhead: Sendable, Hashable {
    /// The harness's own for a call that does nothing; nanoseconds.
    package var emptyNanoseconds: Double
    /// A call of the cheapest strategy, harness included; nanoseconds.
    package var cheapestNanoseconds: Double
    /// Which strategy that is.
    package var cheapest: String
    /// By how much longer a call seems that is timed: a reading of the clock; nanoseconds.
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

    /// The harness's part of what the strategy costs without it: 0.05 is 5 %.
    package var part: Double { emptyNanoseconds / (cheapestNanoseconds - emptyNanoseconds) }
  }

  /// The strategies, ranked or not.
  package var strategies: [Strategy]
  /// The workloads, the base first.
  package var cells: [CellResult]
  /// What everything random follows from.
  package var seed: UInt64
  /// How long each round was to take; seconds.
  package var roundSeconds: Double
  /// How many rounds there were to be.
  package var plannedRounds: Int
  /// How many calls a second were asked for together; `nil` where each caller calls as fast as it
  /// can.
  package var rate: Double?
  /// What the correctness pass could see, in one line.
  package var check: String
  /// The harness's own cost; `nil` where it was not measured.
  package var overhead: Overhead?
  /// What a reader must know to judge the figures, a line each.
  package var notes: [String]

  /// Describes a comparison of which nothing has been measured.
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
