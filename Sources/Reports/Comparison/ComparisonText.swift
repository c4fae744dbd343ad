import Comparison

/// A comparison for a terminal: the ranking of the base workload, the winner of each workload, and
/// the conclusion.
package struct ComparisonText {
  private let result: ComparisonRecord
  private let reference: String
  private let difference: Double
  private let style: TextStyle
  private let isVerbose: Bool
  private let width: Int

  /// Formats a comparison.
  package init(_ report: ComparisonReport) {
    result = report.record
    reference = report.reference
    difference = report.difference
    style = report.settings.style
    isVerbose = report.settings.isVerbose
    width = report.settings.width() ?? 170
  }

  /// The whole text, with a line break at its end.
  package var text: String {
    var parts: [String] = []
    let shown = isVerbose ? result.cells : Array(result.cells.prefix(1))
    for cell in shown {
      let ranking = Ranking(cell, of: result)
      if !ranking.lines.isEmpty { parts.append(table(ranking)) }
    }
    if let winners { parts.append(winners) }
    parts.append(refused)
    if let first = result.cells.first { parts.append(noise(Ranking(first, of: result))) }
    parts.append(([harness] + result.notes).filter { !$0.isEmpty }.joined(separator: "\n"))
    let advice = Advice(result, reference: reference).sentences
    parts.append(
      advice.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }.joined(separator: "\n"))
    return parts.filter { !$0.isEmpty }.map { $0 + "\n" }.joined(separator: "\n")
  }

  private func table(_ ranking: Ranking) -> String {
    let most = ranking.lines.map(\.throughput.median).max() ?? 1
    let sizes = Dictionary(
      result.strategies.map { ($0.name, $0.bytesPerLock) }, uniquingKeysWith: { first, _ in first })
    var rows = [
      [
        "", "", "calls/s", "", "", "p50", "p99", "p99.9", "longest ≤", "fair", "CPU/call",
        "switches/1k", "threads", "bytes",
      ]
    ]
    for (index, line) in ranking.lines.enumerated() {
      let hasRank = line.toFirst.verdict != .tooFewRounds || ranking.lines.count == 1
      func latency(_ point: LatencyPoint) -> String {
        line.latencies[point].map { latencyText($0.median) } ?? ""
      }
      rows.append([
        !hasRank ? "" : ranking.isLeader(index) ? "1" : "\(index + 1)", line.strategy,
        countText(line.throughput.median),
        bar(line.throughput.median / most), standing(index, in: ranking),
        latency(.p50), latency(.p99), latency(.p999),
        latencyText(line.longestWait.median), factorText(line.fairness.median),
        latencyText(line.processorNanoseconds.median),
        countText(line.voluntarySwitches.median + line.involuntarySwitches.median),
        "\(Int(line.threads.median))", sizes[line.strategy]?.map(String.init) ?? "",
      ])
    }
    let rounds = ranking.lines.map(\.rounds).max() ?? 0
    return style.bold(ranking.cell.name) + style.dim("  (\(rounds) rounds)") + "\n" + aligned(rows)
  }

  /// Aligns columns at the width of their longest cell; drops columns at the right that do not fit
  /// the terminal.
  private func aligned(_ rows: [[String]]) -> String {
    let columns = rows.first?.count ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    // Names, bars and text are left-aligned.
    let left: Set<Int> = [1, 3, 4]
    var fitting = 0
    var total = 0
    while fitting < columns, total + widths[fitting] <= max(width, 60) {
      total += widths[fitting] + 2
      fitting += 1
    }
    return rows.map { row in
      (0..<fitting).filter { widths[$0] > 0 }.map { column in
        let room = String(repeating: " ", count: widths[column] - row[column].count)
        return left.contains(column) ? row[column] + room : room + row[column]
      }.joined(separator: "  ").trimmingTrailingSpace
    }.joined(separator: "\n")
  }

  private func bar(_ part: Double) -> String {
    // The part is not finite if no strategy completed a call.
    guard part.isFinite else { return "" }
    let eighths = Int((part * 12 * 8).rounded())
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }

  /// The fastest strategy by the number of callers and the share of reads; `nil` for a single
  /// workload.
  private var winners: String? {
    let map = WinnerMap(result)
    guard map.threads.count * map.reads.count > 1 else { return nil }
    var rows = [["threads"] + map.reads.map { "\($0) % reads" }]
    for threads in map.threads {
      rows.append(
        ["\(threads)"]
          + map.reads.map { reads in
            map.winners(threads: threads, reads: reads).map { winners in
              winners.count > 1 ? "\(winners[0]) =\(winners.count)" : winners[0]
            } ?? ""
          })
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      row.indices.map { column in
        row[column] + String(repeating: " ", count: widths[column] - row[column].count)
      }.joined(separator: "  ").trimmingTrailingSpace
    }
    return style.bold("the fastest by threads and reads")
      + style.dim("  (=3: no difference was seen among three)") + "\n"
      + lines.joined(separator: "\n")
  }

  private var refused: String {
    result.strategies.compactMap { strategy in
      strategy.fault.map {
        style.red("✗ " + harmless(strategy.name)) + "  \($0.verdict), no rank: "
          + harmless($0.message)
      }
    }.joined(separator: "\n")
  }

  private func noise(_ ranking: Ranking) -> String {
    let noise = Noise(ranking, difference: difference)
    guard let worst = noise.pairs.first else { return "" }
    let others = noise.pairs.count - 1
    return "too noisy for a difference of \(percentText(difference)): \(worst.first) and"
      + " \(worst.second) are known to ±\(percentText(worst.halfWidth)) from \(worst.rounds) rounds,"
      + " and it would take about \(worst.neededRounds)"
      + " rounds" + (others > 0 ? "; \(others) more pairs need no more than that" : "")
  }

  private var harness: String {
    guard let overhead = result.overhead else { return "" }
    return "the harness itself: \(latencyText(overhead.emptyNanoseconds)) a call,"
      + " \(percentText(overhead.part)) of the cheapest strategy (\(overhead.cheapest),"
      + " \(latencyText(overhead.cheapestNanoseconds)) on one thread and the shortest section), and"
      + " \(latencyText(overhead.clockNanoseconds)) of the clock in each latency; subtracted nowhere"
  }
}

extension String {
  fileprivate var trimmingTrailingSpace: String {
    var text = Substring(self)
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
