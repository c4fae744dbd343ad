import Comparison

/// A bar for each strategy, which shows how evenly it served its callers.
struct FairnessChart {
  /// The ranking with the strategies to show.
  var ranking: Ranking
  /// The number of each strategy.
  var numbers: [String: Int]

  private static let (width, row, left, bar) = (860.0, 24.0, 180.0, 480.0)

  /// The figure; empty for a single caller, which has all the turns.
  var html: String {
    guard ranking.cell.threads > 1, !ranking.lines.isEmpty else { return "" }
    let height = Self.row * Double(ranking.lines.count) + 34
    let bars = ranking.lines.enumerated().map {
      drawn($0.element, at: Double($0.offset) * Self.row)
    }
    let title = "Fairness between callers: \(ranking.cell.name)"
    return """
      <figure>
      <figcaption id="fairness-title">\(Markup.text(title))</figcaption>
      <p class="legend">Jain’s index of the callers’ calls: 1 if all made equally many, \
      1/\(ranking.cell.threads) if one made all of them.</p>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="fairness-title">
      <svg class="chart" viewBox="0 0 \(Markup.number(Self.width)) \(Markup.number(height))" \
      role="img" \
      aria-labelledby="fairness-title" aria-describedby="fairness-figures" \
      xmlns="http://www.w3.org/2000/svg">
      \(axis(height))\(bars.joined())</svg>
      </div>
      \(table)</figure>

      """
  }

  private func axis(_ height: Double) -> String {
    [0, 0.25, 0.5, 0.75, 1].map { value in
      let x = Markup.number(Self.left + Self.bar * value)
      return """
        <path class="axis" d="M\(x) 0V\(Markup.number(height - 26))"/>\
        <text class="tick middle" x="\(x)" \
        y="\(Markup.number(height - 10))">\(factorText(value))</text>

        """
    }.joined()
  }

  private func drawn(_ line: Ranking.Line, at y: Double) -> String {
    let number = numbers[line.strategy] ?? 0
    let share = percentText(line.largestShare.median)
    return """
      <text class="end" x="\(Markup.number(Self.left - 8))" y="\(Markup.number(y + 17))">\
      \(Markup.text(Markup.cut(line.strategy, to: 24)))</text>\
      <rect x="\(Markup.number(Self.left))" y="\(Markup.number(y + 4))" \
      width="\(Markup.number(Self.bar * min(1, max(0, line.fairness.median))))" \
      height="\(Markup.number(Self.row - 8))" style="\(ComparisonStyle.fill(number))"/>\
      <text class="tick" x="\(Markup.number(Self.left + Self.bar + 10))" \
      y="\(Markup.number(y + 17))">\(factorText(line.fairness.median)); one had \(share)</text>

      """
  }

  private var table: String {
    FigureTable.html(
      caption: "Fairness, medians with 95 % intervals", id: "fairness-figures",
      head: ["strategy", "Jain’s index", "largest part of one caller", "longest wait, median"],
      rows: ranking.lines.map { line in
        [
          line.strategy,
          "\(factorText(line.fairness.median)) (\(factorText(line.fairness.low)) to"
            + " \(factorText(line.fairness.high)))",
          percentText(line.largestShare.median), "at most " + latencyText(line.longestWait.median),
        ]
      })
  }
}
