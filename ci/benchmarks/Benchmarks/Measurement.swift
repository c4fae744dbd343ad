/// Times bodies in interleaved rounds, so that a change of the machine's speed affects all.
struct Measurement {
  /// A measured row: a name, and a body that repeats its work a number of times.
  struct Row {
    var name: String
    var body: (Int) -> Void
  }

  /// Nanoseconds for one turn of each row, a list for each round.
  private(set) var rounds: [[Double]] = []

  /// Times every row in every round, each with `turns` repetitions.
  init(_ rows: [Row], rounds count: Int, turns: Int) {
    let clock = ContinuousClock()
    // The first round warms up and is dropped.
    for round in 0...count {
      let times = rows.map { row in
        let elapsed = clock.measure { row.body(turns) }
        return elapsed / .nanoseconds(1) / Double(turns)
      }
      if round > 0 { rounds.append(times) }
    }
  }

  /// The median over the rounds of a row's time, in nanoseconds.
  func median(_ row: Int) -> Double { Self.median(rounds.map { $0[row] }) }

  /// The median over the rounds of one row's time relative to another's of the same round.
  func ratio(_ row: Int, to other: Int) -> Double {
    Self.median(rounds.map { $0[row] / $0[other] })
  }

  /// The median over the rounds of one row's time less another's of the same round, in nanoseconds.
  func difference(_ row: Int, to other: Int) -> Double {
    Self.median(rounds.map { $0[row] - $0[other] })
  }

  /// The middle half of one row's times relative to another's of the same round.
  func ratioRange(_ row: Int, to other: Int) -> ClosedRange<Double> {
    let sorted = rounds.map { $0[row] / $0[other] }.sorted()
    guard let first = sorted.first else { return 1...1 }
    return (sorted.count < 4 ? first : sorted[sorted.count / 4])...sorted[sorted.count * 3 / 4]
  }

  /// The sum over the rounds of a row's time, in nanoseconds for each of a round's turns.
  func total(_ row: Int) -> Double { rounds.reduce(0) { $0 + $1[row] } }

  /// The middle value, or the mean of the middle two.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
