/// The figures of a chart as a table: for a reader of the page that sees no charts, and for anybody
/// who wants numbers.
enum FigureTable {
  /// The table, behind a summary that opens it.
  ///
  /// - Parameters:
  ///   - caption: What the figures are.
  ///   - id: Its name on the page: the chart says that it is described there.
  ///   - head: The names of the columns.
  ///   - rows: The cells; the first of a row is its name.
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

/// Which colour and mark is which strategy.
enum SeriesKey {
  /// A list; nothing where there is none.
  static func html(_ series: [(number: Int, name: String)]) -> String {
    let items = series.map { number, name in
      """
      <li><svg width="26" height="14" viewBox="0 0 26 14" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">\
      <path style="\(ComparisonStyle.series(number)); stroke-width: 2; fill: none" d="M0 7H26"/>\
      \(ComparisonStyle.mark(number, x: 13, y: 7))</svg> \(Markup.text(name))</li>

      """
    }
    return items.isEmpty ? "" : "<ul class=\"key\">\n\(items.joined())</ul>\n"
  }
}
