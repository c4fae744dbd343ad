/// The table of a schedule, formatted for the width of the terminal.
extension Schedule {
  /// Consecutive steps of one party.
  struct Row {
    var steps: ClosedRange<Int>
    var party: Party
    var text: String
    /// The text without the functions that call helpers.
    var short: String
    /// True if the steps only begin or end a party, and act on no object.
    var isIdle = false
    /// True if steps are left out before this row.
    var comesAfterLeftOut = false

    /// True if the row can be merged with `row`.
    func isOfParty(of row: Row) -> Bool {
      party == row.party && comesAfterLeftOut == row.comesAfterLeftOut
    }

    /// `12`, or `12 to 15`.
    var number: String {
      steps.count == 1
        ? "\(steps.lowerBound + 1)" : "\(steps.lowerBound + 1) to \(steps.upperBound + 1)"
    }
  }

  /// In a table of more than `shortTable` rows, a longer run of rows of one party becomes one row.
  private static let longestStretch = 8
  private static let shortTable = 30

  /// Returns the table with at most `limit` rows, half of them from the beginning and half from the
  /// end. Each party has a column if `width` characters are enough. Otherwise each row starts with
  /// its party's name, and parties that only begin and end are left out. The last row shows the
  /// failed line.
  func table(limit: Int, width: Int, failed: (place: String, thread: Int)?) -> [String] {
    var rows = rows
    if let failed {
      let last = steps.last { $0.thread == failed.thread && !isHelper($0) }
      let next = (rows.last?.steps.upperBound ?? -1) + 1
      rows.append(
        Row(
          steps: next...next, party: last.map(party) ?? .thread(failed.thread),
          text: "✘ \(failed.place)", short: "✘ \(failed.place)",
          comesAfterLeftOut: leftOut != nil))
    }
    let (begin, end, left) = shown(rows, limit: limit)
    for text in [\Row.text, \Row.short] {
      let table = Self.columns(begin + end, text)
      guard table.allSatisfy({ $0.count <= width }) else { continue }
      return Array(table[...begin.count]) + left + table[(begin.count + 1)...]
    }
    let busy = Set(rows.filter { !$0.isIdle }.map(\.party)).union(waiting.map(party))
    let idle = rows.map(\.party).filter { !busy.contains($0) }.unique
    guard !busy.isEmpty, !idle.isEmpty else { return Self.folded(begin, end, left, width) }
    let (first, last, rest) = shown(rows.filter { busy.contains($0.party) }, limit: limit)
    let names = idle.prefix(4).map(\.name).joined(separator: ", ")
    let more = idle.count > 4 ? " and \(idle.count - 4) more" : ""
    return Self.folded(first, last, rest, width) + ["only begin or end: \(names)\(more)"]
  }

  /// One row for each run of equal steps of a party; in a long table, one for each long run of a
  /// party's rows.
  private var rows: [Row] {
    var rows: [Row] = []
    var left = 0
    // Leave out the thread that only waits for the body's task.
    for index in steps.indices where shows(index) {
      let step = shown(index)
      if let leftOut, index >= leftOut.after { left = leftOut.count }
      let number = rows.count + left
      let row = Row(
        steps: number...number, party: party(step), text: text(step),
        short: text(step, isShort: true), isIdle: Self.isIdle(step),
        comesAfterLeftOut: left > 0)
      rows.append(row)
    }
    let distinct = rows.chunked { $0.isOfParty(of: $1) && $0.text == $1.text }
      .flatMap(Self.repeated)
    if distinct.count <= Self.shortTable { return distinct }
    return distinct.chunked { $0.isOfParty(of: $1) }.flatMap(Self.stretch)
  }

  /// False for steps that add nothing: the first thread's wait for the body's task; a turn on an
  /// actor, or the next part of a task, right after the step that asked for it; and a step that the
  /// next row covers.
  private func shows(_ index: Int) -> Bool {
    if isHelper(steps[index]) { return false }
    guard index > 0 else { return true }
    switch steps[index].operation {
    case "turn on actor": return steps[index - 1].thread != steps[index].thread
    case "continue": return party(steps[index - 1]) != party(steps[index])
    case "time up": return steps[index].place != nil || !isFollowed(index, by: "end of sleep")
    case "end of sleep": return !isFollowed(index, by: "continue")
    default: return true
    }
  }

  private func isFollowed(_ index: Int, by operation: String) -> Bool {
    index + 1 < steps.count && steps[index + 1].operation == operation
  }

  /// A sleep ends with a step of the timer, one of the runtime and one of the task. If they are
  /// consecutive, only the task's row is shown.
  private func shown(_ index: Int) -> Step {
    var step = steps[index]
    if index > 0, step.operation == "continue", steps[index - 1].operation == "end of sleep" {
      step.operation = "end of sleep"
    }
    return step
  }

  /// Merges three or more equal rows into one.
  private static func repeated(_ rows: [Row]) -> [Row] {
    guard rows.count > 2, var row = rows.first, let last = rows.last else { return rows }
    row.steps = row.steps.lowerBound...last.steps.upperBound
    row.text += ", \(rows.count) times"
    row.short += ", \(rows.count) times"
    return [row]
  }

  private static func stretch(_ rows: [Row]) -> [Row] {
    guard rows.count > longestStretch, let first = rows.first, let last = rows.last else {
      return rows
    }
    let left = last.steps.lowerBound - first.steps.upperBound - 1
    return [
      Row(
        steps: first.steps.lowerBound...last.steps.upperBound, party: first.party,
        text: "\(first.text), \(left) more steps, \(last.text)",
        short: "\(first.short), \(left) more steps, \(last.short)",
        comesAfterLeftOut: first.comesAfterLeftOut)
    ]
  }

  private static func isIdle(_ step: Step) -> Bool {
    !step.signals && (step.object == 0 || step.operation == "end task")
  }

  /// The first rows, the last rows, and the line between them.
  private func shown(_ rows: [Row], limit: Int) -> ([Row], [Row], [String]) {
    guard rows.count > limit || leftOut != nil else { return (rows, [], []) }
    let begin = Array(rows.prefix { !$0.comesAfterLeftOut }.prefix(limit / 2))
    let end = Array(rows.filter { leftOut == nil || $0.comesAfterLeftOut }.suffix(limit / 2))
    let next = end.first?.steps.lowerBound ?? stepCount
    let left = next - (begin.last?.steps.upperBound ?? -1) - 1
    return (begin, end, ["… \(left) steps …"])
  }

  /// The table with one column for each party, below the party's name.
  private static func columns(_ rows: [Row], _ text: KeyPath<Row, String>) -> [String] {
    let order = rows.map(\.party).unique
    let number = rows.map(\.number.count).max() ?? 0
    let widths = rows.reduce(into: [:]) { widths, row in
      widths[row.party] = max(widths[row.party] ?? row.party.name.count, row[keyPath: text].count)
    }
    var header = "".leading(number)
    var before: [Party: String] = [:]
    var end = number
    for party in order {
      before[party] = String(repeating: " ", count: end + 2 - number)
      header += "  " + party.name.padded(widths[party] ?? 0)
      end += 2 + (widths[party] ?? 0)
    }
    return
      ([header]
      + rows.map { row in
        row.number.leading(number) + (before[row.party] ?? "") + row[keyPath: text]
      }).map(\.trimmed)
  }

  /// The table with the party's name in each row; later parties are indented further.
  private static func folded(
    _ begin: [Row], _ end: [Row], _ left: [String], _ width: Int
  ) -> [String] {
    let rows = begin + end
    let order = rows.map(\.party).unique
    let number = rows.map(\.number.count).max() ?? 0
    let name = order.map(\.name.count).max() ?? 0
    let room = max(20, width - number - name - 4)
    let lines = rows.map { row in
      let wanted = 2 * (order.firstIndex(of: row.party) ?? 0)
      let text = (row.text.count + wanted <= room ? row.text : row.short).shortened(room)
      let indent = min(wanted, room - text.count)
      return row.number.leading(number) + "  " + row.party.name.padded(name) + "  "
        + String(repeating: " ", count: indent) + text
    }
    return lines.prefix(begin.count) + left + lines.suffix(end.count)
  }
}

extension String {
  fileprivate func leading(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }

  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }

  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Keeps the beginning and the end of a long text. The end has the line number.
  fileprivate func shortened(_ width: Int) -> String {
    if count <= width { return self }
    return prefix((width - 1) / 2) + "…" + suffix(width / 2)
  }
}

extension Array {
  /// Groups of neighbouring elements that belong together.
  fileprivate func chunked(by belong: (Element, Element) -> Bool) -> [[Element]] {
    reduce(into: []) { groups, element in
      if let last = groups.last?.last, belong(last, element) {
        groups[groups.count - 1].append(element)
      } else {
        groups.append([element])
      }
    }
  }
}

extension Array where Element: Hashable {
  /// The distinct elements, in the order of their first occurrence.
  fileprivate var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
