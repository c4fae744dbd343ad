internal import HangReports
package import Interlock

extension Schedule {
  /// The owner of a column: the body, a task, or a thread that runs no task.
  package enum Party: Hashable {
    case body
    case thread(Int)
    case task(Int)
    /// A task that the body has named.
    case named(String)

    /// `thread 2`
    package var name: String {
      switch self {
      case .body: "body"
      case .thread(let number): "thread \(number)"
      case .task(let number): "task \(number)"
      case .named(let name): name
      }
    }
  }

  /// The column of a step.
  package func party(_ step: Step) -> Party {
    step.task.map(party(ofTask:)) ?? (step.thread == 0 ? .body : .thread(step.thread))
  }

  private func party(ofTask task: Int) -> Party {
    if let name = taskNames?[task] { return .named(name) }
    if !bodyIsTask { return .task(task) }
    return task == 1 ? .body : .task(task - 1)
  }

  /// The column of a thread.
  func party(ofThread thread: Int) -> Party {
    steps.last { $0.thread == thread }.map(party) ?? (thread == 0 ? .body : .thread(thread))
  }

  /// Each step as text, with the party that took it.
  package var events: [(party: String, text: String, place: StackFrame?)] {
    steps.map { (party($0).name, text($0), $0.place) }
  }

  /// The thread that runs the body is number 0.
  package static func name(_ thread: Int) -> String { thread == 0 ? "body" : "thread \(thread)" }

  /// The operation with its object and place, as in `lock #2  Bank.swift:34`; with a helper, `lock
  /// #2  Bank.close()  Bank.swift:34 by locked(_:)`; for a task, `await task 2  Bank.swift:40`.
  package func text(_ step: Step) -> String { text(step, isShort: false) }

  /// Like `text`; the short form leaves out the function that calls a helper.
  func text(_ step: Step, isShort: Bool) -> String {
    let place = step.place.flatMap { Self.shortPlace($0, by: step.helper, isShort) }
    let value = step.value.map { " \($0)" } ?? ""
    return operation(step) + value + (place.map { "  \($0)" } ?? "")
  }

  /// The operation with its object. The object of `end task` is the task itself; the object of a
  /// step that a cancellation caused is the cancelled task.
  private func operation(_ step: Step) -> String {
    if ["await", "Task.sleep"].contains(step.operation) { return step.operation }
    guard let task = step.objectTask else {
      return step.operation + (step.object == 0 ? "" : " #\(step.object)")
    }
    if task == step.task { return step.operation }
    let verb = step.operation.hasSuffix(" task") ? step.operation.dropLast(5) : step.operation[...]
    return "\(verb) \(party(ofTask: task).name)"
  }

  private static func shortPlace(
    _ place: StackFrame, by helper: String?, _ isShort: Bool = false
  ) -> String? {
    guard let short = shortPlace(place) else { return nil }
    guard let helper else { return short }
    let function = isShort || place.function == nil ? "" : CallSite.Function(place).name + "  "
    return "\(function)\(short) by \(helper)"
  }

  /// `File.swift:12`; without a line, the function; without a symbol, the library. `nil` for code
  /// that the compiler generated.
  static func shortPlace(_ place: StackFrame) -> String? {
    guard let file = place.file, let line = place.line, line > 0 else {
      guard let function = place.function else { return place.image.map { "in \($0)" } }
      let isMade = function.hasPrefix("partial apply") || function.contains("thunk")
      return isMade || function.count > 60 ? nil : function
    }
    return "\(file.split(separator: "/").last ?? "")" + ":\(line)"
  }

  /// One line for each object in the steps that has a name or a known place.
  var legend: [String] {
    let kinds = Dictionary(
      (steps + blocked).compactMap { step in Self.kind(step).map { (step.object, $0) } },
      uniquingKeysWith: { first, _ in first })
    let numbers = Set((steps + blocked).map(\.object))
    return objects.compactMap { object in
      guard let kind = kinds[object.number] else {
        // An object without a kind is a file: its name says what it is.
        return numbers.contains(object.number)
          ? object.name.map { "  #\(object.number): \($0)" } : nil
      }
      let name = object.name.map { " '\($0)'" } ?? ""
      let made = object.place.flatMap { Self.shortPlace($0, by: object.helper) }
      let place = made.map { " made at \($0)" } ?? ""
      return name.isEmpty && place.isEmpty ? nil : "  #\(object.number): \(kind)\(name)\(place)"
    }
  }

  /// The kind of the object that a step acts on; `nil` if the operation's name does not tell.
  private static func kind(_ step: Step) -> String? {
    switch step.operation {
    case "lock", "try-lock", "unlock", "shared lock", "shared try-lock", "shared unlock": "lock"
    case "wait", "signal", "broadcast": "condition"
    case "semaphore wait", "semaphore try", "semaphore signal": "semaphore"
    case "group enter", "group leave", "group wait", "group notify", "notify": "group"
    case "barrier wait": "barrier"
    case "async", "async barrier", "enqueue", "begin", "begin barrier", "suspend", "resume": "queue"
    case "to actor", "turn on actor": "actor"
    case let name where name.hasPrefix("atomic ") || name.hasSuffix("exchange"): "atomic"
    case "reads", "writes", "begins to change": "variable"
    default: nil
    }
  }

  /// The last steps of the blocked threads and of the tasks that are suspended.
  package var waiting: [Step] {
    let threads = blocked.filter { !isHelper($0) }
    let parties = Set(threads.map(party))
    // Take a suspended task's last await, even if code of that await ran after it.
    var last: [Int: Step] = [:]
    for (index, step) in steps.enumerated() {
      if index == leftOut?.after {
        for end in leftOut?.lastOfTasks ?? [] { end.task.map { last[$0] = end } }
      }
      guard let task = step.task else { continue }
      let waits = step.operation.hasPrefix("await") || step.operation == "Task.sleep"
      if step.operation == "end task" || waits || last[task] == nil {
        last[task] = step
      }
    }
    let suspended = last.sorted { $0.key < $1.key }.map(\.value).filter {
      !parties.contains(party($0)) && $0.operation != "end task"
    }
    return threads + suspended
  }

  /// One line for each operation and place at which threads wait, in the order of the threads.
  package var waits: [String] {
    let steps = waiting
    // A task whose last step is `begin task` or `continue` waits for something that the step does
    // not show, such as a task group.
    let texts = steps.map { step in
      let isSuspended = step.operation == "begin task" || step.operation == "continue"
      return isSuspended ? nil : self.text(step)
    }
    // Group threads that do the same, each with its own object.
    let common = zip(steps, texts).map { step, text in
      text.map { _ in
        var step = step
        (step.object, step.objectTask) = (0, nil)
        return self.text(step)
      }
    }
    let alike = Dictionary(grouping: texts.indices) { common[$0] }
    var seen: Set<String?> = []
    let lines: [String] = texts.indices.compactMap { index in
      let (step, text) = (steps[index], common[index])
      let group = alike[text] ?? []
      let count = group.count
      // Show names for fewer than four tasks, and a count for more.
      if step.operation == Self.waitForPool {
        let parties = count < 4 ? "\(party(step).name) waits" : "\(count) tasks wait"
        let isFirst = count < 4 || seen.insert(text).inserted
        return isFirst ? "\(parties) for a thread of the pool" : nil
      }
      if count < 4 {
        return "\(party(step).name) " + (texts[index].map { "waits: \($0)" } ?? "is suspended")
      }
      guard seen.insert(text).inserted else { return nil }
      guard let text, let numbered = texts[index] else { return "\(count) tasks are suspended" }
      let objects = Set(group.map { steps[$0].object }).count
      return objects == 1
        ? "\(count) threads wait: \(numbered)"
        : "\(count) threads wait, for \(objects) objects: \(text)"
    }
    guard let left = blockedLeftOut else { return lines }
    return lines + ["\(left) more thread\(left == 1 ? " waits" : "s wait"), not listed here"]
  }

  /// True for a step of the first thread if that only waits for the body's task.
  func isHelper(_ step: Step) -> Bool {
    bodyIsTask && step.thread == 0 && step.task == nil
  }
}
