package import StressRunner

/// The verdicts of scenarios that list their subjects: a line for each scenario, with its subjects
/// side by side. In a table of all subjects × all scenarios, nearly every cell would be empty.
package struct ListedTable: Sendable {
  private struct Entry: Sendable {
    var subject: String
    var results: [TrialResult]
  }

  private let rows: [(scenario: String, entries: [Entry])]

  /// Sorts results into lines.
  ///
  /// - Parameters:
  ///   - results: The results in any order. Pairs without results are left out.
  ///   - trials: The planned trials, which determine the order.
  package init(_ results: [TrialResult], of trials: [Trial]) {
    var found: [String: [String: [TrialResult]]] = [:]
    for result in results {
      found[result.trial.scenario.name, default: [:]][result.trial.subject, default: []]
        .append(result)
    }
    var rows: [(scenario: String, entries: [Entry])] = []
    for trial in trials {
      let scenario = trial.scenario.name
      if rows.last?.scenario != scenario { rows.append((scenario, [])) }
      let isNew = !rows[rows.count - 1].entries.contains { $0.subject == trial.subject }
      guard isNew, let results = found[scenario]?[trial.subject] else { continue }
      rows[rows.count - 1].entries.append(Entry(subject: trial.subject, results: results))
    }
    self.rows = rows.filter { !$0.entries.isEmpty }
  }

  /// The lines. Subjects that do not fit next to the scenario's name go below it.
  ///
  /// - Parameters:
  ///   - width: The terminal's columns.
  ///   - style: The markup of the text.
  /// - Returns: Lines without trailing spaces.
  package func lines(width: Int, style: TextStyle) -> [String] {
    let nameWidth = rows.map(\.scenario.count).max() ?? 0
    let cellWidth =
      rows.flatMap(\.entries).compactMap { VerdictCell(of: $0.results)?.text.count }.max() ?? 0
    let subjectWidth = rows.flatMap(\.entries).map(\.subject.count).max() ?? 0
    let entryWidth = cellWidth + 1 + subjectWidth
    let perLine = max(1, (width - nameWidth) / (entryWidth + 2))
    return rows.flatMap { row in
      stride(from: 0, to: row.entries.count, by: perLine).map { start in
        var line = (start == 0 ? row.scenario : "").padded(to: nameWidth)
        let shown = row.entries[start..<min(start + perLine, row.entries.count)]
        for (index, entry) in shown.enumerated() {
          guard let cell = VerdictCell(of: entry.results) else { continue }
          let isLast = index + 1 == shown.count
          line += "  " + style.marked(cell.text, met: cell.met)
          line += String(repeating: " ", count: cellWidth - cell.text.count + 1)
          line += isLast ? entry.subject : entry.subject.padded(to: subjectWidth)
        }
        return line
      }
    }
  }
}
