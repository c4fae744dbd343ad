/// The table's text: a line for each row, a column for each detector.
struct DetectorTable {
  /// The columns' headings.
  var columns: [String]

  private static let titleWidth = 38

  /// The line of the headings.
  var head: String { line("", columns) }

  /// One line: a title, and a cell for each column.
  func line(_ title: String, _ cells: [String]) -> String {
    zip(columns, cells).reduce(Self.padded(title, Self.titleWidth)) { line, pair in
      let width = max(pair.0.count, 7) + 2
      return line + String(repeating: " ", count: max(1, width - pair.1.count)) + pair.1
    }
  }

  /// A line for each column of a row in which runs are left out, with their number and reasons.
  func notes(_ title: String, _ tallies: [DetectorTally]) -> [String] {
    zip(columns, tallies).compactMap { column, tally in
      guard !tally.failures.isEmpty else { return nil }
      let reasons = tally.failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return "* \(title.trimmed), \(column): runs left out: \(reasons.joined(separator: ", "))"
    }
  }

  /// The false reports: a line for each column, with the programs.
  func falseReports(_ rows: [(row: DetectorRow, tallies: [DetectorTally])]) -> [String] {
    columns.indices.map { index in
      let correct = rows.filter { $0.row.isCorrect }
      let reported = correct.reduce(0) { $0 + $1.tallies[index].reported }
      let runs = correct.reduce(0) { $0 + $1.tallies[index].runs }
      let named = correct.filter { $0.tallies[index].reported > 0 }
        .flatMap(Self.names)
      return "\(columns[index]): \(reported) of \(runs) runs of correct programs reported"
        + (named.isEmpty
          ? ""
          : named == correct.flatMap(Self.names)
            ? ": every one of them" : ": " + named.joined(separator: ", "))
    }
  }

  /// The program of a row; if there are several, the row's title.
  private static func names(_ row: (row: DetectorRow, tallies: [DetectorTally])) -> [String] {
    row.row.programs.count == 1 ? row.row.programs : [row.row.title.trimmed]
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
