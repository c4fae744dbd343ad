import Comparison

/// The fastest strategy by callers and reads: one field for each pair, in the strategy's colour,
/// deeper for a larger lead.
struct WinnerChart {
  private let record: ComparisonRecord
  private let map: WinnerMap
  private let numbers: [String: Int]

  private static let (left, top, column, row) = (110.0, 30.0, 150.0, 52.0)

  /// Creates the chart of a comparison.
  init(_ record: ComparisonRecord, numbers: [String: Int]) {
    self.record = record
    self.numbers = numbers
    map = WinnerMap(record)
  }

  /// The figure; empty for a single field.
  var html: String {
    guard map.threads.count * map.reads.count > 1 else { return "" }
    let width = Self.left + Self.column * Double(map.reads.count)
    let height = Self.top + Self.row * Double(map.threads.count) + 4
    return """
      <figure>
      <figcaption id="winners-title">The fastest, by callers and reads</figcaption>
      <p class="legend">“1 of 3 alike”: no difference was seen among three. “Next”: how far the \
      first that differs is behind; a field is deeper in colour the further that is.</p>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="winners-title">
      <svg class="chart" viewBox="0 0 \(Markup.number(width)) \(Markup.number(height))" role="img" \
      aria-labelledby="winners-title" aria-describedby="winners-figures" \
      xmlns="http://www.w3.org/2000/svg">
      \(heads)\(map.threads.indices.map(line).joined())</svg>
      </div>
      \(table)</figure>

      """
  }

  private var heads: String {
    map.reads.enumerated().map { column, reads in
      let x = Self.left + (Double(column) + 0.5) * Self.column
      return "<text class=\"middle\" x=\"\(Markup.number(x))\" y=\"20\">\(reads) % reads</text>\n"
    }.joined()
  }

  private func line(_ row: Int) -> String {
    let threads = map.threads[row]
    let y = Self.top + Double(row) * Self.row
    let name = "\(threads) caller\(threads == 1 ? "" : "s")"
    return """
      <text class="end" x="\(Markup.number(Self.left - 10))" \
      y="\(Markup.number(y + 31))">\(name)</text>

      """ + map.reads.indices.map { field(row: row, column: $0, y: y) }.joined()
  }

  private func field(row: Int, column: Int, y: Double) -> String {
    guard let winners = map.winners(threads: map.threads[row], reads: map.reads[column]),
      let first = winners.first
    else { return "" }
    let x = Self.left + Double(column) * Self.column
    let lead = lead(threads: map.threads[row], reads: map.reads[column])
    // Use a tint, so that text on it stays readable.
    let depth = 0.12 + 0.28 * min(1, max(0, (lead ?? 1) - 1))
    let size = "width=\"\(Markup.number(Self.column))\" height=\"\(Markup.number(Self.row))\""
    let style = ComparisonStyle.fill(numbers[first] ?? 0)
    let equals = winners.count > 1 ? "1 of \(winners.count) alike; " : ""
    return """
      <g><title>\(Markup.text(winners.joined(separator: ", ")))</title>\
      <rect class="tile" x="\(Markup.number(x))" y="\(Markup.number(y))" \(size) \
      style="\(style); fill-opacity: \(factorText(depth))"/>\
      <rect x="\(Markup.number(x + 1))" y="\(Markup.number(y + 1))" width="5" \
      height="\(Markup.number(Self.row - 2))" style="\(style)"/>\
      <text class="name" x="\(Markup.number(x + 12))" y="\(Markup.number(y + 22))">\
      \(Markup.text(Markup.cut(first, to: 20)))</text>\
      <text class="note" x="\(Markup.number(x + 12))" y="\(Markup.number(y + 40))">\
      \(equals)\(lead.map { "next: \(factorText($0)) ×" } ?? "none differs")</text></g>

      """
  }

  /// The winner's lead: its figure relative to that of the fastest strategy that is clearly slower.
  private func lead(threads: Int, reads: Int) -> Double? {
    guard let base = record.cells.first?.cell,
      let result = record.cells.first(where: { result in
        var wanted = base
        wanted.threads = threads
        wanted.reads = reads
        return result.cell == wanted
      })
    else { return nil }
    let next = Ranking(result, of: record).lines.first { $0.toFirst.verdict == .slower }
    return next.map { 1 / $0.toFirst.ratio.median }
  }

  private var table: String {
    FigureTable.html(
      caption: "The fastest strategy, and those without a visible difference to it",
      id: "winners-figures",
      head: ["callers"] + map.reads.map { "\($0) % reads" },
      rows: map.threads.map { threads in
        ["\(threads)"]
          + map.reads.map { reads in
            (map.winners(threads: threads, reads: reads) ?? []).joined(separator: ", ")
          }
      })
  }
}
