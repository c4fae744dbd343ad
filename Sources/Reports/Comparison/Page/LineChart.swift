import Comparison

/// Lines over a row of places: a point with its interval for each strategy and place, and the same
/// figures as a table.
struct LineChart {
  /// A line.
  struct Series {
    /// The strategy's number, which determines colour and mark.
    var number: Int
    /// The name of the strategy.
    var name: String
    /// The value at each place; `nil` for a missing one.
    var values: [Interval?]
  }

  /// The title, in one line.
  var title: String
  /// The chart's id on its page.
  var id: String
  /// The title of the axis of places.
  var xTitle: String
  /// The names of the places.
  var places: [String]
  /// The title of the axis of values.
  var yTitle: String
  /// True if the axis of values is logarithmic.
  var isLogarithmic: Bool
  /// The lines.
  var series: [Series]
  /// Formats a value.
  var label: (Double) -> String

  private static let (width, height) = (860.0, 340.0)
  private static let (left, right, top, bottom) = (70.0, 20.0, 14.0, 46.0)

  /// The figure; empty if there is nothing to draw.
  var html: String {
    let values = series.flatMap(\.values).compactMap(\.self)
    guard !values.isEmpty, !places.isEmpty else { return "" }
    return """
      <figure>
      <figcaption id="\(id)-title">\(Markup.text(title))</figcaption>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="\(id)-title">
      <svg class="chart" viewBox="0 0 \(Markup.number(Self.width)) \(Markup.number(Self.height))" \
      role="img" \
      aria-labelledby="\(id)-title" aria-describedby="\(id)-figures" \
      xmlns="http://www.w3.org/2000/svg">
      \(axes(scale(values)))\(series.map { line($0, scale(values)) }.joined())</svg>
      </div>
      \(SeriesKey.html(series.map { ($0.number, $0.name) }))\(table)</figure>

      """
  }

  /// Maps values to heights.
  private struct Scale {
    var low: Double
    var high: Double
    var isLogarithmic: Bool

    func y(_ value: Double) -> Double {
      let room = height - top - bottom
      let part =
        isLogarithmic
        ? (Decade.of(max(value, low)) - Decade.of(low)) / (Decade.of(high) - Decade.of(low))
        : (value - low) / (high - low)
      return height - bottom - room * min(1, max(0, part))
    }
  }

  private func scale(_ values: [Interval]) -> Scale {
    let most = values.map { $0.high.isFinite ? $0.high : $0.median }.max() ?? 1
    guard isLogarithmic else { return Scale(low: 0, high: max(most, 1e-9), isLogarithmic: false) }
    let least = values.map { $0.low.isFinite && $0.low > 0 ? $0.low : $0.median }.min() ?? 1
    let low = Decade.below(max(1, least))
    return Scale(low: low, high: max(Decade.above(max(1, most)), low * 10), isLogarithmic: true)
  }

  private func x(_ place: Int) -> Double {
    let room = Self.width - Self.left - Self.right
    return Self.left + room * (Double(place) + 0.5) / Double(places.count)
  }

  private func axes(_ scale: Scale) -> String {
    let end = Markup.number(Self.width - Self.right)
    var text = ""
    for tick in Decade.ticks(scale.low, scale.high, isLogarithmic: isLogarithmic) {
      let y = Markup.number(scale.y(tick))
      text += """
        <path class="axis" d="M\(Markup.number(Self.left)) \(y)H\(end)"/>\
        <text class="tick end" x="\(Markup.number(Self.left - 6))" \
        y="\(Markup.number(scale.y(tick) + 4))">\(Markup.text(label(tick)))</text>

        """
    }
    for (number, place) in places.enumerated() {
      text += """
        <text class="tick middle" x="\(Markup.number(x(number)))" \
        y="\(Markup.number(Self.height - Self.bottom + 18))">\(Markup.text(place))</text>

        """
    }
    let middle = Markup.number((Self.left + Self.width - Self.right) / 2)
    return text + """
      <text class="middle" x="\(middle)" \
      y="\(Markup.number(Self.height - 6))">\(Markup.text(xTitle))</text>

      """
  }

  private func line(_ series: Series, _ scale: Scale) -> String {
    // Draw the points of a place side by side, so that intervals do not hide each other.
    let shift = (Double(series.number % 12) - 5.5) * 2.5
    let points = series.values.enumerated().compactMap { place, value in
      value.map { (x: x(place) + shift, value: $0) }
    }
    let path = points.map { "\(Markup.number($0.x)) \(Markup.number(scale.y($0.value.median)))" }
    let style = ComparisonStyle.series(series.number)
    var text = """
      <g><title>\(Markup.text(series.name))</title>\
      <path class="line" style="\(style)" d="M\(path.joined(separator: "L"))"/>

      """
    for point in points {
      if point.value.low.isFinite, point.value.high.isFinite {
        text += """
          <path class="whisker" style="\(style)" d="M\(Markup.number(point.x)) \
          \(Markup.number(scale.y(point.value.low)))V\(Markup.number(scale.y(point.value.high)))"/>

          """
      }
      text += ComparisonStyle.mark(series.number, x: point.x, y: scale.y(point.value.median)) + "\n"
    }
    return text + "</g>\n"
  }

  private var table: String {
    let rows = series.map { series in
      [series.name] + series.values.map { $0.map(cell) ?? "" }
    }
    return FigureTable.html(
      caption: "\(title): \(yTitle), medians with 95 % intervals", id: "\(id)-figures",
      head: [xTitle] + places, rows: rows)
  }

  private func cell(_ value: Interval) -> String {
    guard value.low.isFinite, value.high.isFinite else { return label(value.median) }
    return "\(label(value.median)) (\(label(value.low)) to \(label(value.high)))"
  }
}
