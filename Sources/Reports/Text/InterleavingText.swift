import StressRunner

/// What happened in a script, as a table with a column for each role.
struct InterleavingText {
  /// No column is wider than this.
  private static let widestColumn = 48

  private let script: Script
  private let record: ScriptRecord

  /// Lays out a record.
  init(_ record: ScriptRecord, of script: Script) {
    self.record = record
    self.script = script
  }

  /// The table's lines, and a last one where the order was given up.
  func lines(limit: Int) -> [String] {
    var columns = script.roles.map(\.name)
    if record.passages.contains(where: { $0.role == nil }) { columns.append("others") }
    let rows = record.passages.prefix(limit).map { passage in
      let column = passage.role.flatMap { columns.firstIndex(of: $0) } ?? columns.count - 1
      return columns.indices.map { $0 == column ? harmless(passage.text) : "" }
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
