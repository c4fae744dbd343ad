/// The runs as a picture: a column of verdicts for each, and the time of their trials as a line.
struct TrendChart {
  private static let width = 1000.0
  private static let top = 18.0
  private static let height = 120.0
  /// The most runs that are drawn, the latest.
  private static let most = 200

  private let runs: [Trend.Run]

  init(_ runs: [Trend.Run]) { self.runs = Array(runs.suffix(Self.most)) }

  /// The picture as an element of a page; empty for fewer than two runs.
  var svg: String {
    guard runs.count > 1 else { return "" }
    let mostTrials = runs.map { $0.summary.count + $0.missing }.max() ?? 1
    let mostSeconds = runs.map(\.summary.seconds).max() ?? 1
    let step = Self.width / Double(runs.count)
    var columns = ""
    for (index, run) in runs.enumerated() {
      let x = Double(index) * step
      var y = Self.top + Self.height
      func part(_ count: Int, _ name: String) -> String {
        guard count > 0 else { return "" }
        let high = Self.height * Double(count) / Double(max(1, mostTrials))
        y -= high
        return "<g class=\"\(name)\"><rect x=\"\(Markup.number(x + step * 0.15))\""
          + " y=\"\(Markup.number(y))\" width=\"\(Markup.number(step * 0.7))\""
          + " height=\"\(Markup.number(high))\"/></g>"
      }
      let summary = run.summary
      let words =
        "\(run.title): \(summary.met) met, \(summary.unmet) unmet, \(summary.skipped) skipped,"
        + " \(run.missing) missing, \(secondsText(summary.seconds))"
      columns +=
        "<g><title>\(Markup.text(words))</title>" + part(summary.met, "met")
        + part(summary.unmet, "unmet") + part(summary.skipped + run.missing, "skipped") + "</g>\n"
    }
    let points = runs.enumerated().map { index, run in
      let share = mostSeconds > 0 ? run.summary.seconds / mostSeconds : 0
      let y = Self.top + Self.height * (1 - share)
      return "\(Markup.number((Double(index) + 0.5) * step)),\(Markup.number(y))"
    }
    let below = Markup.number(Self.top + Self.height)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="graph trend" \
      viewBox="0 0 \(Markup.number(Self.width)) \(Markup.number(Self.top + Self.height + 4))" \
      role="img" aria-labelledby="trend-title">
      <title id="trend-title">A column for each run: trials that were met, unmet, and not judged; \
      the line is the time of all trials</title>
      \(columns)<polyline class="time" points="\(points.joined(separator: " "))"/>
      <line class="axis" x1="0" x2="\(Markup.number(Self.width))" y1="\(below)" y2="\(below)"/>
      <text class="label" x="0" y="12">up to \(mostTrials) trials, and \
      \(secondsText(mostSeconds)) as a line</text>
      </svg>

      """
  }
}
