import Interlock
import WaitForGraph

extension ExplorationFailure {
  /// What a failing test prints: the verdict, the schedule as a table with a column for each
  /// thread, and what each blocked thread waits for.
  package var report: String {
    var lines = [headline]
    lines += race?.lines ?? []
    lines += explanation.map { "  \($0)" }
    lines += schedule.table(limit: 60)
    if !schedule.blocked.isEmpty {
      lines.append("no thread can go on:")
      lines += schedule.blocked.map { "  \(Schedule.name($0.thread)) waits: \(Schedule.text($0))" }
    }
    return lines.joined(separator: "\n")
  }

  private var headline: String {
    let changes = "\(schedule.switches) change\(schedule.switches == 1 ? "" : "s") of thread"
    return "\(outcome) (order number \(execution)); the shortest schedule found has \(changes)"
      + " by choice"
  }

  private var outcome: String {
    switch verdict {
    case .failed: text.isEmpty ? "failed" : text
    case .deadlock:
      dryPoolWidth.map { "deadlock (starvation): all \($0) threads of the pool wait" }
        ?? self.cause.map { "deadlock (\($0.rawValue))" } ?? "deadlock"
    case .livelock: "livelock: the limit of steps was reached"
    case .timedOut: "a step took longer than its limit, without a controlled call"
    case .crashed(let signal): "crashed by signal \(signal)"
    case .misuse, .race: text
    case .notDeterministic: "the body is not deterministic: \(text)"
    }
  }
}

extension Schedule {
  /// The thread that runs the body is number 0.
  static func name(_ thread: Int) -> String { thread == 0 ? "body" : "thread \(thread)" }

  /// The operation with its object and its place.
  static func text(_ step: Step) -> String {
    let object = step.object == 0 ? "" : " #\(step.object)"
    guard let place = step.place else { return step.operation + object }
    return "\(step.operation)\(object)  \(shortPlace(place))"
  }

  /// `File.swift:12`, or the function where no line is known.
  private static func shortPlace(_ place: StackFrame) -> String {
    guard let file = place.file, let line = place.line, line > 0 else {
      return place.function ?? "0x" + String(place.address, radix: 16)
    }
    return "\(file.split(separator: "/").last ?? "")" + ":\(line)"
  }

  /// A row for each step, a column for each thread; of a long schedule the begin and the end.
  func table(limit: Int) -> [String] {
    let threads = Set(steps.map(\.thread)).sorted()
    let columns = Dictionary(uniqueKeysWithValues: threads.enumerated().map { ($1, $0) })
    var widths = threads.map { Self.name($0).count }
    let shown =
      steps.count <= limit
      ? Array(steps.indices)
      : Array(steps.indices.prefix(limit / 2)) + Array(steps.indices.suffix(limit / 2))
    for index in shown {
      guard let column = columns[steps[index].thread] else { continue }
      widths[column] = max(widths[column], Self.text(steps[index]).count)
    }
    let number = String(steps.count).count
    func line(_ left: String, _ cells: [Int: String]) -> String {
      var text = String(repeating: " ", count: max(0, number - left.count)) + left
      for (column, width) in widths.enumerated() {
        let cell = cells[column] ?? ""
        text += "  " + cell + String(repeating: " ", count: width - cell.count)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    var lines = [
      line("", Dictionary(uniqueKeysWithValues: threads.enumerated().map { ($0, Self.name($1)) }))
    ]
    var previous: Int?
    for index in shown {
      if let before = previous, index > before + 1 {
        lines.append("… \(index - before - 1) steps …")
      }
      previous = index
      let step = steps[index]
      lines.append(line("\(index + 1)", [columns[step.thread] ?? 0: Self.text(step)]))
    }
    return lines
  }
}
