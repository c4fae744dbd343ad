/// A requested rate that strategies did not reach.
package struct MissedRate: Sendable, Hashable {
  /// The strategy that stayed furthest behind.
  package var strategy: String
  /// The workload in which it did.
  package var cell: String
  /// The part of the requested calls that it made: 0.8 is 80 %.
  package var part: Double
  /// How many pairs of a strategy and a workload stayed clearly behind.
  package var count: Int

  /// The part of the calls that may be missing without a remark.
  private static let tolerance = 0.05

  /// Finds the strategies that stayed clearly behind the rate; `nil` if there is none, or no rate.
  ///
  /// The end of a round leaves out at most one call of each caller, which no strategy has missed.
  package init?(_ comparison: ComparisonRecord) {
    guard let rate = comparison.rate else { return nil }
    var missed: [(line: Ranking.Line, cell: Cell)] = []
    for result in comparison.cells {
      let unfinished = Double(result.cell.threads) / comparison.roundSeconds
      for line in Ranking(result, of: comparison).lines
      where line.rounds >= Interval.fewestValues
        && line.throughput.high + unfinished < rate * (1 - Self.tolerance)
      {
        missed.append((line, result.cell))
      }
    }
    guard let worst = missed.min(by: { $0.line.throughput.median < $1.line.throughput.median })
    else { return nil }
    strategy = worst.line.strategy
    cell = worst.cell.name
    part = worst.line.throughput.median / rate
    count = missed.count
  }

  /// The remark for the reader, in one line.
  package var text: String {
    let more = count == 2 ? "1 more figure is" : "\(count - 1) more figures are"
    let others = count == 1 ? "" : ", and \(more) below it"
    let percent = Int((part * 100).rounded())
    return "the requested rate was missed: `\(strategy)` made \(percent) % of the calls"
      + " (\(cell))\(others); latencies then grow with the length of a round"
  }
}
