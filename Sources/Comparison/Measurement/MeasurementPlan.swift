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
    /// It would take this many seconds at least.
    case tooLong(seconds: Double)
  }

  /// A shorter round says little: threads have to come, and the scheduler's slices are
  /// milliseconds.
  static let shortestRound = 0.01
  /// A longer one is better spent on more rounds.
  static let longestRound = 0.25
  /// What a round costs beside its own time: threads that start and end.
  static let roundOverhead = 0.004
  /// Where there is time for rounds of some length, as many as these.
  static let wantedRounds = 15

  /// How many workloads.
  package var cells: Int
  /// How many strategies.
  package var contestants: Int
  /// How often each pair of the two is measured, after the one round that sets the pace.
  package var rounds: Int
  /// How long each round is, seconds.
  package var roundSeconds: Double
  /// What the order follows from.
  package var seed: UInt64

  /// Divides a time among the rounds.
  ///
  /// - Parameters:
  ///   - cells: How many workloads, from 1.
  ///   - contestants: How many strategies, from 1.
  ///   - seconds: The time for all rounds together.
  ///   - rounds: How many rounds; `nil` leaves it to the time.
  ///   - seed: What the order follows from.
  /// - Throws: How long the shortest plan would take, where there is no time for it.
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
      // Fewer, where they would be too short to say much; more, where they would be longer than is
      // of use.
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
  /// Each second round goes through all of the round before it backwards (counterbalancing): of any
  /// two strategies each is first equally often, but for one round where their number is odd. What
  /// one leaves behind for the next, or a machine that grows slower, would pass for a difference
  /// else: of ten random orders, one of twenty has the same of two first eight times or more.
  ///
  /// - Parameter round: 0 is the round that sets the pace.
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
