package import StressRunner

/// The table of subjects × scenarios.
///
/// A cell shows a pair's verdict over all its trials. One unmet trial makes the pair unmet, because
/// a retry never turns red into green.
package struct VerdictTable: Sendable {
  private let scenarios: [String]
  private let subjects: [String]
  private let cells: [[VerdictCell?]]

  /// Sorts results into cells.
  ///
  /// - Parameters:
  ///   - results: The results in any order. Pairs without results stay empty.
  ///   - trials: The planned trials, which determine the order of rows and columns.
  package init(_ results: [TrialResult], of trials: [Trial]) {
    let columns = Self.unique(trials.map(\.scenario.name))
    scenarios = columns
    subjects = Self.unique(trials.map(\.subject))
    var found: [String: [String: [TrialResult]]] = [:]
    for result in results {
      found[result.trial.subject, default: [:]][result.trial.scenario.name, default: []]
        .append(result)
    }
    cells = subjects.map { subject in
      columns.map { VerdictCell(of: found[subject]?[$0] ?? []) }
    }
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// The table, split into parts one below another that fit the width.
  ///
  /// - Parameters:
  ///   - width: The terminal's columns.
  ///   - style: The markup of the text.
  /// - Returns: Lines without trailing spaces.
  package func lines(width: Int, style: TextStyle) -> [String] {
    let widths = scenarios.indices.map(columnWidth)
    let nameWidth = nameWidth(beside: widths.max() ?? 0, width: width)
    var lines: [String] = []
    var start = 0
    while start < scenarios.count {
      var end = start
      var used = nameWidth
      // Take at least one column, however narrow the terminal is.
      while end < scenarios.count, end == start || used + 2 + widths[end] <= width {
        used += 2 + widths[end]
        end += 1
      }
      if start > 0 { lines.append("") }
      lines += part(start..<end, widths: widths, nameWidth: nameWidth, style: style)
      start = end
    }
    return lines
  }

  private func part(
    _ columns: Range<Int>, widths: [Int], nameWidth: Int, style: TextStyle
  ) -> [String] {
    let headers = columns.map { Self.wrapped(scenarios[$0], width: widths[$0]) }
    let height = headers.map(\.count).max() ?? 0
    var lines = (0..<height).map { row in
      var line = String(repeating: " ", count: nameWidth)
      for (header, column) in zip(headers, columns) {
        line += "  " + (row < header.count ? header[row] : "").padded(to: widths[column])
      }
      return style.bold(Self.trimmed(line))
    }
    for (row, subject) in subjects.enumerated() {
      let name = Self.wrappedName(subject, width: nameWidth)
      var line = name[0].padded(to: nameWidth)
      var pending = ""
      for column in columns {
        let cell = cells[row][column] ?? VerdictCell(text: "·", met: nil)
        line += pending + "  "
        line += cells[row][column] == nil ? cell.text : style.marked(cell.text, met: cell.met)
        // Write spaces only before text, so that no line ends in them.
        pending = String(repeating: " ", count: widths[column] - cell.text.count)
      }
      lines.append(line)
      lines += name.dropFirst()
    }
    return lines
  }

  /// The width of the longest name; less if a column would not fit next to it, down to the longest
  /// word.
  private func nameWidth(beside column: Int, width: Int) -> Int {
    let longest = subjects.map(\.count).max() ?? 0
    let room = width - 2 - column
    guard longest > room else { return longest }
    return (room..<longest).first { room in
      room > 2
        && subjects.allSatisfy { name in
          Self.wrappedName(name, width: room).allSatisfy { $0.count <= room }
        }
    } ?? longest
  }

  private func columnWidth(_ column: Int) -> Int {
    let cellWidth = cells.map { $0[column]?.text.count ?? 1 }.max() ?? 0
    let words = scenarios[column].split(separator: "-").map { $0.count + 1 }
    return max(cellWidth, words.max() ?? 0)
  }

  /// A scenario's name in lines that break after hyphens.
  private static func wrapped(_ name: String, width: Int) -> [String] {
    var lines = [""]
    let words = name.split(separator: "-")
    for (index, word) in words.enumerated() {
      let piece = word + (index + 1 < words.count ? "-" : "")
      if let last = lines.last, !last.isEmpty, last.count + piece.count > width { lines.append("") }
      lines[lines.count - 1] += piece
    }
    return lines
  }

  /// A subject's name in lines that break after hyphens. All lines but the first are indented.
  private static func wrappedName(_ name: String, width: Int) -> [String] {
    if name.count <= width { return [name] }
    let lines = Self.wrapped(name, width: width - 2)
    return lines.prefix(1) + lines.dropFirst().map { "  " + $0 }
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
