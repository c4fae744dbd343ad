import Findings

/// A trend as text for a terminal.
package struct TrendText: Sendable {
  /// The most changes and costs that are listed.
  private static let most = 40

  private let trend: Trend
  private let style: TextStyle

  /// Describes a trend.
  package init(_ trend: Trend, style: TextStyle) {
    self.trend = trend
    self.style = style
  }

  /// The lines, with a line break at the end of each.
  package var text: String {
    var text =
      "\(trend.runs.count) run\(trend.runs.count == 1 ? "" : "s"), \(trend.pairs.count) pairs of"
      + " scenario and subject\n\n" + runs
    let changes = trend.changes
    text += "\n"
    if trend.runs.count < 2 {
      text += "One run shows no trend.\n"
    } else if changes.isEmpty {
      text += "Every pair has the same verdict in all runs.\n"
    } else {
      text += "Verdicts that changed, a sign for each run:\n"
      text += lines(changes) { change in
        "  \(trend.history(change.pair))  \(change.pair.title): \(change.before) → \(change.after)"
          + " in \(trend.runs[change.run].title)"
      }
    }
    let costs = trend.costs
    if !costs.isEmpty {
      text += "\nTimes of the last run outside those of the runs before, by half or more:\n"
      text += lines(costs) { cost in
        let before =
          "\(secondsText(cost.before.lowerBound)) to \(secondsText(cost.before.upperBound))"
        return "  \(cost.pair.title): \(secondsText(cost.seconds)); before \(before) in"
          + " \(cost.runs) runs"
      }
    }
    return text
  }

  private var runs: String {
    let titles = trend.runs.map { escaped($0.title) }
    let width = titles.map(\.count).max() ?? 0
    let columns = ["met", "unmet", "skipped", "missing", "trials' time"]
    var text = "run".padded(to: width) + columns.map { "  " + $0 }.joined() + "\n"
    for (run, title) in zip(trend.runs, titles) {
      let summary = run.summary
      let values = [
        "\(summary.met)", "\(summary.unmet)", "\(summary.skipped)", "\(run.missing)",
        secondsText(summary.seconds),
      ]
      text += title.padded(to: width)
      for (column, value) in zip(columns, values) {
        let cell = String(repeating: " ", count: max(0, column.count - value.count)) + value
        let isRed = ["unmet", "missing"].contains(column) && value != "0"
        text += "  " + (isRed ? style.red(cell) : cell)
      }
      text += "\n"
    }
    return text
  }

  private func lines<Item>(_ items: [Item], _ line: (Item) -> String) -> String {
    let shown = items.prefix(Self.most).map { escaped(line($0)) + "\n" }.joined()
    return shown + (items.count > Self.most ? "  … \(items.count - Self.most) more\n" : "")
  }
}
