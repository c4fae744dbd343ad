/// The figures of a chart as a table, for readers who cannot see the chart or want numbers.
enum FigureTable {
  /// The table, behind a summary that opens it.
  ///
  /// - Parameters:
  ///   - caption: The title of the figures.
  ///   - id: The table's id on the page, to which the chart refers as its description.
  ///   - head: The names of the columns.
  ///   - rows: The cells; the first cell of a row is its name.
  /// - Returns: Markup.
  static func html(caption: String, id: String, head: [String], rows: [[String]]) -> String {
    let columns = head.enumerated().map { index, name in
      "<th scope=\"col\"\(index == 0 ? "" : " class=\"number\"")>\(Markup.text(name))</th>"
    }
    let lines = rows.map { row in
      "<tr>"
        + row.enumerated().map { index, cell in
          index == 0
            ? "<th scope=\"row\">\(Markup.text(cell))</th>"
            : "<td class=\"number\">\(Markup.text(cell))</td>"
        }.joined() + "</tr>\n"
    }
    return """
      <details>
      <summary>The figures as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="\(Markup.text(caption))">
      <table id="\(id)">
      <caption>\(Markup.text(caption))</caption>
      <thead><tr>\(columns.joined())</tr></thead>
      <tbody>
      \(lines.joined())</tbody>
      </table>
      </div>
      </details>

      """
  }
}

/// The legend: the colour and mark of each strategy.
enum SeriesKey {
  /// A list; empty for no strategies.
  static func html(_ series: [(number: Int, name: String)]) -> String {
    let items = series.map { number, name in
      """
      <li><svg width="26" height="14" viewBox="0 0 26 14" aria-hidden="true" \
      xmlns="http://www.w3.org/2000/svg"><path style="\(ComparisonStyle.series(number)); \
      stroke-width: 2; fill: none" d="M0 7H26"/>\(ComparisonStyle.mark(number, x: 13, y: 7))</svg> \
      \(Markup.text(name))</li>

      """
    }
    return items.isEmpty ? "" : "<ul class=\"key\">\n\(items.joined())</ul>\n"
  }
}
