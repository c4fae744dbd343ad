import StressRunner

/// How many rounds are measured, how long each is, and in which order.
package struct MeasurementPlan: Sendable, Hashable {
  /// A round of a strategy on a workload, by their numbers.
  package struct Step: Sendable, Hashable {
    /// The workload's number.
    package var cell: Int
    /// The strategy's number.
    package var contestant: Int
  }

  /// Why there is no plan.
  package enum Failure: Error, Hashable {
    /// The measurement would take at least this many seconds.
    case tooLong(seconds: Double)
  }

  /// The shortest useful round, seconds: threads have to start, and the scheduler's time slices are
  /// milliseconds.
  static let shortestRound = 0.01
  /// The longest round, seconds; more time is better spent on more rounds.
  static let longestRound = 0.25
  /// A round's cost besides its own time, seconds: starting and ending threads.
  static let roundOverhead = 0.004
  /// The number of rounds if the time allows rounds of useful length.
  static let wantedRounds = 15

  /// The number of workloads.
  package var cells: Int
  /// The number of strategies.
  package var contestants: Int
  /// How often each pair of a workload and a strategy is measured, after the one round that sets
  /// the pace.
  package var rounds: Int
  /// How long each round is, seconds.
  package var roundSeconds: Double
  /// Determines the order.
  package var seed: UInt64

  /// Divides a time among the rounds.
  ///
  /// - Parameters:
  ///   - cells: The number of workloads, from 1.
  ///   - contestants: The number of strategies, from 1.
  ///   - seconds: The time for all rounds together.
  ///   - rounds: The number of rounds; `nil` derives it from the time.
  ///   - seed: Determines the order.
  /// - Throws: `Failure.tooLong` if the time does not suffice for the shortest plan.
  package init(
    cells: Int, contestants: Int, seconds: Double, rounds: Int? = nil, seed: UInt64
  ) throws(Failure) {
    self.cells = cells
    self.contestants = contestants
    self.seed = seed
    let pairs = Double(cells * contestants)
    func each(_ rounds: Int) -> Double {
      seconds / (pairs * Double(rounds + 1)) - Self.roundOverhead
    }
    let fewest = rounds ?? Interval.fewestValues
    guard each(fewest) >= Self.shortestRound else {
      throw .tooLong(
        seconds: pairs * Double(fewest + 1) * (Self.shortestRound + Self.roundOverhead))
    }
    var count = rounds ?? Self.wantedRounds
    if rounds == nil {
      // Fewer rounds if they would be too short, more if they would be longer than useful.
      while count > 9, each(count) < 0.02 { count -= 1 }
      while count > fewest, each(count) < Self.shortestRound { count -= 1 }
      while each(count) > Self.longestRound { count += 1 }
    }
    self.rounds = count
    roundSeconds = min(Self.longestRound, each(count))
  }

  /// How long all rounds take together; seconds.
  package var seconds: Double {
    Double(cells * contestants * (rounds + 1)) * (roundSeconds + Self.roundOverhead)
  }

  /// All pairs in the order of a round: the workloads in random order, and the strategies of each
  /// in random order, one after the other, so that a change of the machine's speed hits all of them
  /// alike.
  ///
  /// Each second round reverses the order of the round before it (counterbalancing): of any two
  /// strategies each comes first equally often, except for one round if the number is odd.
  /// Otherwise carry-over between strategies, or a machine that slows down, could look like a
  /// difference: with ten random orders, one of two strategies comes first eight times or more with
  /// a probability of about 1 in 9.
  ///
  /// - Parameter round: The round's number; 0 is the round that sets the pace.
  /// - Returns: Each pair once.
  package func order(ofRound round: Int) -> [Step] {
    var generator = SplitMix64(seed: seed, at: 1, round - (round + 1) % 2)
    let order = shuffled(cells, using: &generator).flatMap { cell in
      shuffled(contestants, using: &generator).map { Step(cell: cell, contestant: $0) }
    }
    return round % 2 == 0 ? order.reversed() : order
  }
}

/// The numbers below `count` in a random order (Fisher and Yates).
private func shuffled(_ count: Int, using generator: inout SplitMix64) -> [Int] {
  var numbers = Array(0..<count)
  for last in stride(from: count - 1, to: 0, by: -1) {
    numbers.swapAt(last, generator.next(below: last + 1))
  }
  return numbers
}
