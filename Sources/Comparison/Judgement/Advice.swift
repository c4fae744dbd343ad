/// The conclusions from the figures, in two or three sentences.
package struct Advice: Sendable, Hashable {
  /// The advice mentions unfairness if the whole interval of Jain's index is at most this.
  package static let unfair = 0.9

  /// The sentences, without full stops.
  package var sentences: [String] = []

  /// Draws the conclusions of a comparison whose first cell is the base.
  ///
  /// - Parameters:
  ///   - comparison: The measurements.
  ///   - reference: The well-known strategy with which others are compared, if it takes part.
  package init(_ comparison: ComparisonRecord, reference: String) {
    guard let base = comparison.cells.first else { return }
    let ranking = Ranking(base, of: comparison)
    guard let first = ranking.lines.first, ranking.lines.count > 1 else { return }
    sentences.append(winner(ranking, base, first, reference))
    if let sentence = crossing(comparison, base: base.cell) { sentences.append(sentence) }
    if let sentence = unfairness(comparison) { sentences.append(sentence) }
  }

  private func winner(
    _ ranking: Ranking, _ base: ComparisonRecord.CellResult, _ first: Ranking.Line,
    _ reference: String
  ) -> String {
    let work = "for this work (\(ranking.cell.name))"
    let leaders = ranking.leaders
    guard first.toFirst.rounds >= Interval.fewestValues else {
      return "\(work) there are too few rounds to say anything"
    }
    let slower = ranking.lines.filter { $0.toFirst.verdict == .slower }
    let isCircle = ranking.lines.contains { $0.toFirst.verdict == .faster }
    guard !slower.isEmpty, !isCircle else {
      return leaders.count == 1 || isCircle
        ? "\(work) the measurements do not show which is the fastest: more time would tell"
        : "\(work) no difference was seen between \(quoted(leaders))"
    }
    let head =
      leaders.count == 1
      ? "\(work) `\(first.strategy)` is the fastest"
      : "\(work) \(quoted(leaders)) are the fastest, with no difference seen between them"
    let compared = slower.first { $0.strategy == reference } ?? slower[slower.count - 1]
    guard let one = base.entries.first(where: { $0.strategy == first.strategy }),
      let other = base.entries.first(where: { $0.strategy == compared.strategy })
    else { return head }
    let ratio = RoundPair(one, to: other).ratio
    let subject = leaders.count == 1 ? "" : "`\(first.strategy)` is "
    return head + ": \(subject)\(range(ratio)) × faster than `\(compared.strategy)`"
  }

  /// A strategy that leads at high shares of reads, and loses to another at lower shares.
  private func crossing(_ comparison: ComparisonRecord, base: Cell) -> String? {
    var rankings: [(reads: Int, ranking: Ranking)] = []
    for result in comparison.cells {
      var cell = result.cell
      cell.reads = base.reads
      if cell == base { rankings.append((result.cell.reads, Ranking(result, of: comparison))) }
    }
    rankings.sort { $0.reads > $1.reads }
    guard let most = rankings.first, rankings.count > 1 else { return nil }
    for leader in most.ranking.leaders {
      let led = rankings.prefix { isKnownToLead(leader, in: $0.ranking) }
      guard led.count < rankings.count, let last = led.last,
        rankings[led.count].ranking.line(of: leader)?.toFirst.verdict == .slower
      else { continue }
      // Only if the leader never leads again at lower shares.
      guard rankings.dropFirst(led.count).allSatisfy({ !$0.ranking.leaders.contains(leader) }),
        let winner = rankings[led.count].ranking.lines.first?.strategy
      else { continue }
      return "`\(leader)` is the fastest or equal to it from \(last.reads) % reads on, and loses to"
        + " `\(winner)` at \(rankings[led.count].reads) %"
    }
    return nil
  }

  /// Whether the data show that a strategy leads, instead of merely not excluding it.
  private func isKnownToLead(_ strategy: String, in ranking: Ranking) -> Bool {
    guard ranking.leaders.contains(strategy), let line = ranking.line(of: strategy) else {
      return false
    }
    return line.strategy == ranking.leaders.first || line.toFirst.ratio.low > 0.8
  }

  /// A strategy that favours some callers. At a given rate, each caller's turns are those that are
  /// due, so a share shows nothing about the strategy.
  private func unfairness(_ comparison: ComparisonRecord) -> String? {
    if comparison.rate != nil { return nil }
    var worst: (line: Ranking.Line, cell: Cell)?
    for result in comparison.cells where result.cell.threads > 1 {
      for line in Ranking(result, of: comparison).lines
      where line.rounds >= Interval.fewestValues && line.fairness.high <= Self.unfair {
        if worst.map({ line.fairness.median < $0.line.fairness.median }) ?? true {
          worst = (line, result.cell)
        }
      }
    }
    return worst.map { line, cell in
      "`\(line.strategy)` is unfair: one of \(cell.threads) callers had"
        + " \(Int((line.largestShare.median * 100).rounded())) % of the turns (\(cell.name))"
    }
  }

  private func range(_ ratio: Interval) -> String {
    let (low, high) = (factorText(ratio.low), factorText(ratio.high))
    return low == high ? low : "\(low) to \(high)"
  }

  private func quoted(_ names: [String]) -> String {
    let all = names.map { "`\($0)`" }
    guard all.count > 1, let last = all.last else { return all.first ?? "" }
    return all.dropLast().joined(separator: ", ") + " and " + last
  }
}

/// `1.40`, `1.04`, `12`: two decimals, none from 10 on.
package func factorText(_ factor: Double) -> String {
  guard factor.isFinite else { return "?" }
  if factor >= 9.95 { return "\(Int(factor.rounded()))" }
  let hundredths = Int((factor * 100).rounded())
  let digits = hundredths % 100
  return "\(hundredths / 100)." + (digits < 10 ? "0" : "") + "\(digits)"
}
