/// Times bodies in interleaved rounds, so that a change of the machine's speed affects all.
struct TimedRows {
  /// A measured row: a name, and a body that repeats its work a number of times.
  struct Row {
    var name: String
    var body: (Int) -> Void
  }

  /// Nanoseconds for one turn of each row, a list for each round.
  private var rounds: [[Double]] = []

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

  /// The middle value, or the mean of the middle two.
  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
