/// A trend as one self-contained page: the runs, what changed, and every pair's verdicts.
///
/// The page is well-formed XML too. It loads nothing and has no script.
package struct TrendPage: Sendable {
  /// The most runs, and pairs, that the table of all verdicts shows.
  private static let mostRuns = 60
  private static let mostPairs = 2_000

  private let trend: Trend
  private let version: String

  /// Describes a trend.
  package init(_ trend: Trend, version: String) {
    self.trend = trend
    self.version = version
  }

  /// The page, as UTF-8, with a line break at its end.
  package var text: String {
    """
    <!DOCTYPE html>
    <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
    <head>
    <meta charset="utf-8"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"/>
    <title>Interlock: \(trend.runs.count) runs</title>
    <style>
    \(PageStyle.css)
    \(Self.css)
    </style>
    </head>
    <body>
    <main>
    <h1>Interlock: what changed over \(trend.runs.count) runs</h1>
    <p class="host">interlock \(Markup.text(version))</p>
    <h2>Runs</h2>
    \(TrendChart(trend.runs).svg)\(runs)<h2>Verdicts that changed</h2>
    \(changes)\(costs)<h2>Every pair</h2>
    \(matrix)</main>
    </body>
    </html>

    """
  }

  private static let css = """
    .trend .met rect { fill: var(--running); } .trend .unmet rect { fill: var(--marked); }
    .trend .skipped rect { fill: var(--line); }
    .trend .time { fill: none; stroke: var(--link); stroke-width: 2; }
    .trend .axis { stroke: var(--line); } .trend .label { text-anchor: start; stroke: none; }
    .history td, .history thead th { padding: 0.15rem 0.35rem; text-align: center; }
    .history thead th { writing-mode: vertical-rl; font-weight: 400; }
    .history thead th:first-child { writing-mode: horizontal-tb; text-align: left; }
    .number { text-align: right; font-variant-numeric: tabular-nums; }
    """

  private var runs: String {
    let rows = trend.runs.reversed().map { run in
      let summary = run.summary
      let values = [
        "\(summary.met)", "\(summary.unmet)", "\(summary.skipped)", "\(run.missing)",
        secondsText(summary.seconds),
      ]
      return "<tr><th scope=\"row\">\(Markup.text(run.title))</th>"
        + values.map { "<td class=\"number\">\($0)</td>" }.joined() + "</tr>\n"
    }
    return Self.table(
      "Runs, the latest first", "runs",
      ["run", "met", "unmet", "skipped", "missing", "trials' time"], rows)
  }

  private var changes: String {
    let changes = trend.changes
    guard trend.runs.count > 1 else { return "<p>One run shows no trend.</p>\n" }
    guard !changes.isEmpty else {
      return "<p>Every pair has the same verdict in all runs.</p>\n"
    }
    return Self.table(
      "The last change of each, the latest first", "changes", ["pair", "before", "after", "in"],
      changes.map { change in
        let cells = [change.before, change.after, trend.runs[change.run].title]
        return "<tr><th scope=\"row\">\(Markup.text(change.pair.title))</th>"
          + cells.map { "<td>\(Markup.text($0))</td>" }.joined() + "</tr>\n"
      })
  }

  private var costs: String {
    let costs = trend.costs
    guard !costs.isEmpty else { return "" }
    let rows = costs.map { cost in
      let cells = [
        secondsText(cost.seconds),
        "\(secondsText(cost.before.lowerBound)) to \(secondsText(cost.before.upperBound))",
        "\(cost.runs)",
      ]
      return "<tr><th scope=\"row\">\(Markup.text(cost.pair.title))</th>"
        + cells.map { "<td class=\"number\">\($0)</td>" }.joined() + "</tr>\n"
    }
    return "<h2>Times that changed</h2>\n"
      + Self.table(
        "The last run outside the runs before, by half or more", "costs",
        ["pair", "last run", "runs before", "how many"], rows)
  }

  private var matrix: String {
    let runs = trend.runs.suffix(Self.mostRuns)
    let rows = trend.pairs.prefix(Self.mostPairs).map { pair in
      let cells = runs.map { run in
        let cell = run.cells[pair]
        let words = cell.map(\.text) ?? "not tried"
        let time = cell?.seconds.map { ", " + secondsText($0) } ?? ""
        return "<td class=\"\(VerdictTables.className(cell?.met))\""
          + " title=\"\(Markup.text("\(words)\(time), \(run.title)"))\">"
          + (cell == nil ? "·" : sign(met: cell?.met)) + "</td>"
      }
      return "<tr><th scope=\"row\">\(Markup.text(pair.title))</th>\(cells.joined())</tr>\n"
    }
    let left = max(0, trend.pairs.count - Self.mostPairs)
    let older = trend.runs.count - runs.count
    return Self.table(
      "A sign for each run, the latest at the right; ✓ as expected, ✗ not, – skipped, · not tried",
      "history", ["pair"] + runs.map(\.title), rows)
      + (older > 0 ? "<p>… and \(older) older runs.</p>\n" : "")
      + (left > 0 ? "<p>… and \(left) more pairs.</p>\n" : "")
  }

  private static func table(
    _ caption: String, _ name: String, _ columns: [String], _ rows: [String]
  ) -> String {
    let head = columns.map { "<th scope=\"col\">\(Markup.text($0))</th>" }.joined()
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="\(Markup.text(caption))">
      <table class="\(name)">
      <caption>\(Markup.text(caption))</caption>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(rows.joined())</tbody>
      </table>
      </div>

      """
  }
}
