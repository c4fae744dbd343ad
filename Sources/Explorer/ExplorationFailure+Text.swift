package import Interlock
import WaitForGraph

extension ExplorationFailure {
  /// What a failing test prints: the verdict, the schedule as a table with a column for each
  /// thread, and what each blocked thread waits for.
  package var report: String {
    let failed = verdict == .failed && !text.isEmpty ? [text] : []
    return (failed + [headline] + evidence + order).joined(separator: "\n")
  }

  /// Both sides of a race, or the cause of a deadlock.
  package var evidence: [String] {
    let beside = verdict == .race ? nil : memoryRace.map { "race in memory: \($0.sentence)" }
    return (race?.lines ?? []) + (beside.map { [$0] } ?? []) + (memoryRace?.lines ?? [])
      + explanation.map { "  \($0)" }
  }

  /// The schedule as a table, and what each blocked thread waits for.
  package var order: [String] {
    var lines = schedule.table(limit: 60, failed: failedLine.map { ($0, thread) })
    lines += schedule.legend
    let waiting = verdict == .deadlock ? schedule.waiting : []
    if !waiting.isEmpty {
      lines.append("no thread can continue:")
      lines += waiting.map { "  \(schedule.party($0).name) waits: \(Schedule.text($0))" }
    }
    if let divergence {
      lines.append("the token's schedule does not fit any more: \(divergence)")
    }
    return lines
  }

  /// What the last row shows: where the body failed, or how it ended.
  private var failedLine: String? {
    switch verdict {
    case .crashed: "crashed"
    case .failed: place.flatMap { $0.isEmpty ? nil : $0 }
    default: nil
    }
  }

  /// How it failed, in one line.
  package var headline: String {
    let switches = "\(schedule.switches) context switch\(schedule.switches == 1 ? "" : "es")"
    let origin = execution == 0 ? "an order kept from an earlier run" : "order number \(execution)"
    let number = "\(outcome)\(machines) (\(origin))"
    if isUnrepeatable {
      return number + "; the same choices passed when they were tried again: the body depends on"
        + " state that it leaves behind, on chance or on real time"
    }
    return number + "; the shortest schedule found has \(switches)"
  }

  private var starvation: String? {
    guard let dryPoolWidth else { return nil }
    let threads =
      dryPoolWidth == 1
      ? "the only thread of the pool waits" : "all \(dryPoolWidth) threads of the pool wait"
    return "deadlock (starvation): \(threads)"
  }

  /// On which machines it fails.
  private var machines: String {
    guard let narrowPool else { return "" }
    let width = narrowPool.width
    let enough = narrowPool.sufficientWidth.map { "; \($0) suffice" } ?? ""
    return ", where tasks have \(width) thread\(width == 1 ? "" : "s")\(enough)"
  }

  private var outcome: String {
    switch verdict {
    case .failed: "the body failed"
    case .deadlock:
      starvation ?? self.cause.map { "deadlock (\($0.rawValue))" } ?? "deadlock"
    case .livelock: "livelock: the limit of steps was reached"
    case .timedOut: text.isEmpty ? "a step took longer than its limit" : text
    case .crashed(let signal): text.isEmpty ? "crashed by signal \(signal)" : text
    case .misuse, .race: text
    case .notDeterministic: "the body is not deterministic: \(text)"
    }
  }
}

extension MemoryRace {
  /// Both sides in full, with the variable and what the race means.
  fileprivate var lines: [String] {
    variableLines + first.lines(as: "first") + second.lines(as: "second") + ["  \(meaning)"]
  }
}

extension Schedule {
  /// What has a column: a task, or a thread that runs none.
  package enum Party: Hashable {
    case body
    case thread(Int)
    case task(Int)

    /// `thread 2`
    package var name: String {
      switch self {
      case .body: "body"
      case .thread(let number): "thread \(number)"
      case .task(let number): "task \(number)"
      }
    }
  }

  /// The column of a step.
  package func party(_ step: Step) -> Party {
    if let task = step.task {
      if !bodyIsTask { return .task(task) }
      return task == 1 ? .body : .task(task - 1)
    }
    return step.thread == 0 ? .body : .thread(step.thread)
  }

  /// Each step with its party, in the words of a report.
  package var events: [(party: String, text: String, place: StackFrame?)] {
    steps.map { (party($0).name, Self.text($0), $0.place) }
  }

  /// The thread that runs the body is number 0.
  package static func name(_ thread: Int) -> String { thread == 0 ? "body" : "thread \(thread)" }

  /// The operation with its object and its place.
  package static func text(_ step: Step) -> String {
    let object = step.object == 0 ? "" : " #\(step.object)"
    guard let place = step.place, let short = shortPlace(place) else {
      return step.operation + object
    }
    return "\(step.operation)\(object)  \(short)"
  }

  /// `File.swift:12`, or the function where no line is known, or the library where no symbol is;
  /// `nil` of what the compiler made.
  private static func shortPlace(_ place: StackFrame) -> String? {
    guard let file = place.file, let line = place.line, line > 0 else {
      guard let function = place.function else { return place.image.map { "in \($0)" } }
      let isMade = function.hasPrefix("partial apply") || function.contains("thunk")
      return isMade || function.count > 60 ? nil : function
    }
    return "\(file.split(separator: "/").last ?? "")" + ":\(line)"
  }

  /// A line for each object in the steps of which more is known than its number.
  var legend: [String] {
    let kinds = Dictionary(
      (steps + blocked).compactMap { step in Self.kind(step).map { (step.object, $0) } },
      uniquingKeysWith: { first, _ in first })
    let numbers = Set((steps + blocked).map(\.object))
    return objects.compactMap { object in
      guard let kind = kinds[object.number] else {
        // A file: its name says what it is.
        return numbers.contains(object.number)
          ? object.name.map { "  #\(object.number): \($0)" } : nil
      }
      let name = object.name.map { " '\($0)'" } ?? ""
      let place = object.place.flatMap(Self.shortPlace).map { " made at \($0)" } ?? ""
      return name.isEmpty && place.isEmpty ? nil : "  #\(object.number): \(kind)\(name)\(place)"
    }
  }

  /// What a step's operation is on, as far as its name tells.
  private static func kind(_ step: Step) -> String? {
    switch step.operation {
    case "lock", "try-lock", "unlock", "shared lock", "shared try-lock", "shared unlock": "lock"
    case "wait", "signal", "broadcast": "condition"
    case "semaphore wait", "semaphore try", "semaphore signal": "semaphore"
    case "group enter", "group leave", "group wait", "group notify", "notify": "group"
    case "barrier wait": "barrier"
    case "async", "async barrier", "enqueue", "begin", "begin barrier", "suspend", "resume": "queue"
    case "to actor": "actor"
    case "reads", "writes", "begins to change", "atomic access": "variable"
    default: nil
    }
  }

  /// The blocked threads, and the tasks that were suspended and not continued, each at its last
  /// step.
  package var waiting: [Step] {
    let threads = blocked.filter { !isHelper($0) }
    let parties = Set(threads.map(party))
    // A task that is suspended is at its last await, also if code of that await came after it.
    var last: [Int: Step] = [:]
    for step in steps {
      guard let task = step.task else { continue }
      if step.operation == "end task" || step.operation.hasPrefix("await") || last[task] == nil {
        last[task] = step
      }
    }
    let suspended = last.sorted { $0.key < $1.key }.map(\.value).filter {
      !parties.contains(party($0)) && $0.operation != "end task"
    }
    return threads + suspended
  }

  /// The first thread, where it only waits for the body's task.
  private func isHelper(_ step: Step) -> Bool {
    bodyIsTask && step.thread == 0 && step.task == nil
  }

  /// A row for each step, a column for each thread in these rows; of a long schedule the begin and
  /// the end. In the last row, the line that failed.
  func table(limit: Int, failed: (place: String, thread: Int)?) -> [String] {
    let steps = steps.filter { !isHelper($0) }
    var cells = steps.map { (column: party($0), text: Self.text($0)) }
    if let failed {
      let last = steps.last { $0.thread == failed.thread }
      cells.append((last.map(party) ?? .thread(failed.thread), "✘ \(failed.place)"))
    }
    let shown =
      cells.count <= limit
      ? Array(cells.indices)
      : Array(cells.indices.prefix(limit / 2)) + Array(cells.indices.suffix(limit / 2))
    let order = shown.map { cells[$0].column }.reduce(into: [Party]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    var widths = order.map(\.name.count)
    for index in shown {
      guard let column = order.firstIndex(of: cells[index].column) else { continue }
      widths[column] = max(widths[column], cells[index].text.count)
    }
    let number = String(cells.count).count
    func line(_ left: String, _ texts: [Party: String]) -> String {
      var text = String(repeating: " ", count: max(0, number - left.count)) + left
      for (column, width) in zip(order, widths) {
        let cell = texts[column] ?? ""
        text += "  " + cell + String(repeating: " ", count: width - cell.count)
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    var lines = [line("", Dictionary(uniqueKeysWithValues: order.map { ($0, $0.name) }))]
    var previous: Int?
    for index in shown {
      if let before = previous, index > before + 1 {
        lines.append("… \(index - before - 1) steps …")
      }
      previous = index
      lines.append(line("\(index + 1)", [cells[index].column: cells[index].text]))
    }
    return lines
  }
}
