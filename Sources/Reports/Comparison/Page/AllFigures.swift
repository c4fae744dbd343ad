import Comparison

/// Every strategy on every workload: a table that can be sorted by any column.
struct AllFigures {
  /// The measured figures.
  var record: ComparisonRecord

  private struct Column {
    var name: String
    var isNumber = true
    /// The text of a cell, and its sort key.
    var cell: (Ranking, Int) -> (text: String, key: String)
  }

  private var columns: [Column] {
    let sizes = Dictionary(
      record.strategies.map { ($0.name, $0.bytesPerLock) }, uniquingKeysWith: { one, _ in one })
    func figure(
      _ name: String, _ text: @escaping (Double) -> String,
      _ value: @escaping (Ranking.Line) -> Double?
    ) -> Column {
      Column(name: name) { ranking, index in
        guard let value = value(ranking.lines[index]), value.isFinite else { return ("", "") }
        return (text(value), "\(value)")
      }
    }
    return [
      Column(name: "workload", isNumber: false) { ranking, _ in
        (ranking.cell.name, ranking.cell.name)
      },
      Column(name: "strategy", isNumber: false) { ranking, index in
        (ranking.lines[index].strategy, ranking.lines[index].strategy)
      },
      figure("calls/s", countText, \.throughput.median),
      Column(name: "to the fastest") { ranking, index in
        let line = ranking.lines[index]
        let ratio = line.toFirst.ratio.median
        return (standing(index, in: ranking), ratio.isFinite ? "\(ratio)" : "")
      },
      figure("p50", latencyText) { $0.latencies[.p50]?.median },
      figure("p90", latencyText) { $0.latencies[.p90]?.median },
      figure("p99", latencyText) { $0.latencies[.p99]?.median },
      figure("p99.9", latencyText) { $0.latencies[.p999]?.median },
      figure("max", latencyText) { $0.latencies[.max]?.median },
      figure("longest wait ≤", latencyText, \.longestWait.median),
      figure("fairness", factorText, \.fairness.median),
      figure("largest part", percentText, \.largestShare.median),
      figure("CPU/call", latencyText, \.processorNanoseconds.median),
      figure("waits/1000", countText, \.voluntarySwitches.median),
      figure("preempted/1000", countText, \.involuntarySwitches.median),
      figure("threads", { "\(Int($0))" }, \.threads.median),
      figure("bytes/lock", { "\(Int($0))" }) { sizes[$0.strategy].flatMap { $0 }.map(Double.init) },
      figure("rounds", { "\(Int($0))" }) { Double($0.rounds) },
    ]
  }

  /// The table.
  var html: String {
    let columns = columns
    let rankings = record.cells.map { Ranking($0, of: record) }
    let head = columns.map { column in
      "<th scope=\"col\"\(column.isNumber ? " class=\"number\"" : "")><button type=\"button\">"
        + "\(Markup.text(column.name))</button></th>"
    }
    let rows = rankings.flatMap { ranking in
      ranking.lines.indices.map { index in
        "<tr>"
          + columns.map { column in
            let (text, key) = column.cell(ranking, index)
            return column.isNumber
              ? "<td class=\"number\" data-value=\"\(Markup.text(key))\">\(Markup.text(text))</td>"
              : "<td>\(Markup.text(text))</td>"
          }.joined() + "</tr>\n"
      }
    }
    return """
      <p class="legend">Medians of the rounds. A button sorts by its column; a second click \
      reverses the order.</p>
      <div class="scroll" tabindex="0" role="region" aria-label="All figures">
      <table class="sortable">
      <caption>Every strategy on every workload</caption>
      <thead><tr>\(head.joined())</tr></thead>
      <tbody>
      \(rows.joined())</tbody>
      </table>
      </div>

      """
  }
}
