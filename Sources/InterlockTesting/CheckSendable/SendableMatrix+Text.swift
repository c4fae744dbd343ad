import Findings

extension SendableMatrix: CustomStringConvertible {
  /// The matrix as a table, and a line for each pair that needs one.
  public var description: String {
    ([headline] + table + legend + details).joined(separator: "\n")
  }

  /// `ImageStore: 1 of 6 pairs conflicts  StoreTests.swift:9`
  var headline: String { "\(type): \(verdict)  \(place)" }

  /// `no conflict in 4 of 6 pairs; 2 not checked`
  private var verdict: String {
    let found = pairs.count { $0.outcome.isConflict }
    let checked = pairs.count { $0.outcome.isChecked }
    let count = "\(pairs.count) pair\(pairs.count == 1 ? "" : "s")"
    if checked == 0 { return "nothing was checked: \(count) not checked" }
    let rest = checked == pairs.count ? "" : "; \(pairs.count - checked) not checked"
    switch found {
    case 0: return "no conflict in \(rest.isEmpty ? "" : "\(checked) of ")\(count)\(rest)"
    case 1: return "1 of \(count) conflicts\(rest)"
    default: return "\(found) of \(count) conflict\(rest)"
    }
  }

  /// The text of the issue that a check records if it has checked nothing.
  var report: String { ([headline] + details).joined(separator: "\n") }

  private var table: [String] {
    let rows = operations.indices.map { row in
      operations.indices.map { column in
        row <= column ? self[operations[row], operations[column]]?.outcome.word ?? "-" : ""
      }
    }
    let widths = operations.indices.map { column in
      max(operations[column].count, rows.map { $0[column].count }.max() ?? 0)
    }
    let first = operations.map(\.count).max() ?? 0
    func line(_ head: String, _ cells: [String]) -> String {
      var text = "  " + padded(head, to: first)
      for (cell, width) in zip(cells, widths) { text += "  " + padded(cell, to: width) }
      while text.last == " " { text.removeLast() }
      return text
    }
    return [line("", operations)] + zip(operations, rows).map(line)
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// An explanation of each outcome that the table contains.
  var legend: [String] {
    var lines: [String] = []
    let outcomes = pairs.map(\.outcome)
    if outcomes.contains(where: { if case .safe = $0 { true } else { false } }) {
      lines.append(
        "  safe (n): all n orders of the controlled calls and of the sections that both begin pass,"
          + " under sequential consistency; unmarked memory is not checked")
    }
    if outcomes.contains(where: { if case .noConflictSeen = $0 { $0.isChecked } else { false } }) {
      lines.append(
        "  not seen (n + r): n explored orders and r rounds of two threads show no conflict")
    }
    if outcomes.contains(where: { if case .noConflictSeen = $0 { !$0.isChecked } else { false } }) {
      lines.append(
        "  not checked (n + 1): n explored orders and one round show no conflict, but one round is"
          + " too few to show one; raise 'budget' or 'rounds'")
    }
    return lines
  }

  private var details: [String] {
    // Merge pairs with the same line: one reason often holds for many pairs.
    var seen: [String] = []
    var pairsOf: [String: [String]] = [:]
    for pair in pairs {
      for line in pair.lines {
        if pairsOf[line] == nil { seen.append(line) }
        pairsOf[line, default: []].append(pair.name)
      }
    }
    return seen.map { line in
      let names = pairsOf[line] ?? []
      let shown = names.prefix(3).joined(separator: "; ")
      let more = names.count > 3 ? " and \(names.count - 3) more" : ""
      return "  \(shown)\(more): \(line)"
    }
  }
}

extension SendableMatrix.Pair {
  /// `store + contains`
  var name: String { "\(first) + \(second)" }

  /// The details of the pair that do not fit into the table.
  var lines: [String] {
    switch outcome {
    case .conflict(let lines): [lines.joined(separator: "; ")] + notes
    case .unobservable(let reason): ["not checked: \(reason)"] + notes
    case .safe, .noConflictSeen: notes
    }
  }
}

extension SendableMatrix.Outcome {
  /// The outcome, for a cell of the table.
  var word: String {
    switch self {
    case .safe(let orders): "safe (\(orders))"
    case .noConflictSeen(let orders, let rounds):
      "\(isChecked ? "not seen" : "not checked") (\(orders) + \(rounds))"
    case .conflict: "CONFLICT"
    case .unobservable: "not checked"
    }
  }
}
