import StressRunner

/// The events of a script: a column for each role, and one for other threads if these have events.
struct InterleavingTable {
  /// The names of the columns.
  let columns: [String]
  /// The events, one per row, with their column and text; not escaped.
  let rows: [(column: Int, text: String)]

  /// Lays out a record.
  init(_ record: ScriptRecord, of script: Script) {
    var columns = script.roles.map(\.name)
    if record.passages.contains(where: { $0.role == nil }) { columns.append("others") }
    self.columns = columns
    rows = record.passages.map { passage in
      (passage.role.flatMap { columns.firstIndex(of: $0) } ?? columns.count - 1, passage.text)
    }
  }
}

/// The events of a script, as lines.
struct InterleavingText {
  /// The maximum width of a column.
  private static let widestColumn = 48

  private let table: InterleavingTable
  private let record: ScriptRecord

  /// Lays out a record.
  init(_ record: ScriptRecord, of script: Script) {
    self.record = record
    table = InterleavingTable(record, of: script)
  }

  /// The table's lines, and a final line if the script's order was given up.
  func lines(limit: Int) -> [String] {
    let columns = table.columns
    let rows = table.rows.prefix(limit).map { row in
      columns.indices.map { $0 == row.column ? harmless(row.text) : "" }
    }
    let widths = columns.indices.map { column in
      min(
        Self.widestColumn,
        ([columns[column]] + rows.map { $0[column] }).map(\.count).max() ?? 0)
    }
    func line(_ row: [String]) -> String {
      var text = ""
      for (column, cell) in row.enumerated() {
        let shown =
          cell.count > Self.widestColumn ? cell.prefix(Self.widestColumn - 1) + "…" : cell[...]
        text += shown + String(repeating: " ", count: widths[column] - shown.count + 2)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    var lines = ([columns] + rows).map(line)
    if record.passages.count > limit { lines.append("… \(record.passages.count - limit) more") }
    if let reason = record.givenUp { lines.append("the order was given up: \(harmless(reason))") }
    return lines
  }
}
