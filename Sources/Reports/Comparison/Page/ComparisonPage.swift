import Comparison

/// A comparison as one self-contained page: the conclusion, the charts, each with its figures as a
/// table, and all figures.
///
/// The page is well-formed XML too. Text from a user is always escaped.
package struct ComparisonPage: Sendable {
  private let record: ComparisonRecord
  private let reference: String
  private let difference: Double
  private let context: ReportContext
  private let build: String

  /// Formats a comparison.
  package init(_ report: ComparisonReport) {
    record = report.record
    reference = report.reference
    difference = report.difference
    context = report.context
    build = report.build
  }

  /// The page, as UTF-8, with a line break at its end.
  package var text: String {
    let rankings = record.cells.map { Ranking($0, of: record) }
    return head + sentences + facts + refused
      + (rankings.first.map { charts($0, rankings) } ?? "<p>Nothing was measured.</p>\n")
      + "<h2>All figures</h2>\n" + AllFigures(record: record).html + """
        </main>
        <script>\(ComparisonStyle.script)</script>
        </body>
        </html>

        """
  }

  private var title: String { "which lock is the fastest" }

  private var head: String {
    """
    <!DOCTYPE html>
    <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
    <head>
    <meta charset="utf-8"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta http-equiv="Content-Security-Policy" content="\(Markup.text(ComparisonStyle.policy))"/>
    <title>Interlock: \(title)</title>
    <style>
    \(PageStyle.css)
    \(ComparisonStyle.css)
    </style>
    </head>
    <body>
    <main>
    <h1>Interlock: \(title)</h1>

    """
  }

  private var sentences: String {
    Advice(record, reference: reference).sentences.map { sentence in
      "<p class=\"headline\">\(Markup.text(sentence.prefix(1).uppercased() + sentence.dropFirst())).</p>\n"
    }.joined()
  }

  private var facts: String {
    var facts = [
      (
        "Machine",
        "\(context.host.system), \(context.host.cores) processors, Swift \(context.host.swift)"
      ),
      ("Build", "\(build), interlock \(context.version)"),
      (
        "Rounds",
        "\(record.completeRounds) of \(record.plannedRounds), each of"
          + " \(Int((record.roundSeconds * 1000).rounded())) ms for each strategy and workload, in random"
          + " order; seed \(record.seed)"
      ), ("Correctness", record.check),
    ]
    if let overhead = record.overhead {
      facts.append(
        (
          "Harness",
          "\(latencyText(overhead.emptyNanoseconds)) a call, \(percentText(overhead.part)) of the"
            + " cheapest strategy (\(overhead.cheapest)), and \(latencyText(overhead.clockNanoseconds)) of"
            + " the clock in each latency; subtracted nowhere"
        ))
    }
    if let first = record.cells.first,
      let worst = Noise(Ranking(first, of: record), difference: difference).pairs.first
    {
      facts.append(
        (
          "Noise",
          "too much for a difference of \(percentText(difference)): \(worst.first) and"
            + " \(worst.second) are known to ±\(percentText(worst.halfWidth)); it would take about"
            + " \(worst.neededRounds) rounds"
        ))
    }
    facts += record.notes.map { ("Note", $0) }
    let items = facts.map { "<dt>\(Markup.text($0.0))</dt><dd>\(Markup.text($0.1))</dd>\n" }
    return "<dl class=\"facts\">\n\(items.joined())</dl>\n"
  }

  private var refused: String {
    let lines = record.strategies.compactMap { strategy in
      strategy.fault.map { "\(strategy.name): \($0.verdict). \($0.message)" }
    }
    return lines.isEmpty ? "" : "<h2>Not ranked, because wrong</h2>\n" + Markup.list(lines)
  }

  private func charts(_ base: Ranking, _ rankings: [Ranking]) -> String {
    let numbers = Dictionary(
      record.strategies.enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { one, _ in one })
    return "<h2>Charts</h2>\n" + throughput(base, rankings, numbers) + latency(base, numbers)
      + FairnessChart(ranking: base, numbers: numbers).html
      + WinnerChart(record, numbers: numbers).html
  }

  private func throughput(
    _ base: Ranking, _ rankings: [Ranking], _ numbers: [String: Int]
  ) -> String {
    let row = rankings.filter { ranking in
      var cell = ranking.cell
      cell.threads = base.cell.threads
      return cell == base.cell
    }.sorted { $0.cell.threads < $1.cell.threads }
    var rest = base.cell.name
    if let comma = rest.firstIndex(of: ",") { rest = String(rest[comma...].dropFirst(2)) }
    return LineChart(
      title: "Throughput by callers: \(rest)", id: "throughput", xTitle: "callers",
      places: row.map { "\($0.cell.threads)" }, yTitle: "calls a second", isLogarithmic: false,
      series: base.lines.map { line in
        .init(
          number: numbers[line.strategy] ?? 0, name: line.strategy,
          values: row.map { $0.line(of: line.strategy)?.throughput })
      }, label: countText
    ).html
  }

  private func latency(_ base: Ranking, _ numbers: [String: Int]) -> String {
    LineChart(
      title: "Latency of a call by percentile: \(base.cell.name)", id: "latency",
      xTitle: "percentile of the calls",
      places: ["50", "90", "99", "99.9", "100"], yTitle: "duration of a call", isLogarithmic: true,
      series: base.lines.map { line in
        .init(
          number: numbers[line.strategy] ?? 0, name: line.strategy,
          values: LatencyPoint.allCases.map { line.latencies[$0] })
      }, label: latencyText
    ).html
  }
}
