package import Hangs
package import Interlock

/// Lines for tasks and threads that have not ended, and for objects that were left. Tasks created
/// at one place that wait at one place share a line.
package struct LiveTaskText: Sendable {
  /// `2 tasks made at Feed.swift:12  Feed.start() have not ended: they wait for a continuation …`,
  /// or `a timer made at Feed.swift:12  Feed.start() was left: it was not cancelled`
  package let line: String
  /// One line for the wait of each child of the first task.
  package let details: [String]
  /// The line of user code that created the tasks; `nil` if unknown.
  package let place: StackFrame?
  /// The frames of the place, and of the `await`.
  package let frames: [StackFrame]
  /// The kind of the tasks or objects.
  package let kind: LiveTask.Kind

  /// Formats symbolicated tasks, ordered by the first task of each place.
  ///
  /// - Parameters:
  ///   - tasks: The tasks.
  ///   - verdict: The verb phrases for one task and for several, such as `has not ended`.
  /// - Returns: A text for each pair of places.
  package static func texts(
    of tasks: [LiveTask], verdict: (one: String, several: String)
  ) -> [LiveTaskText] {
    var order: [String] = []
    var groups: [String: [LiveTask]] = [:]
    for task in tasks {
      let key = noun(task) + made(task) + "\n" + waits(task, task.wait, isOne: true)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(task)
    }
    return order.compactMap { groups[$0].map { LiveTaskText($0, verdict) } }
  }

  private init(_ tasks: [LiveTask], _ verdict: (one: String, several: String)) {
    let isOne = tasks.count == 1
    let first = tasks[0]
    let verdict = first.isObject ? (one: "was left", several: "were left") : verdict
    line =
      (isOne ? "a " + Self.noun(first) : Counted.noun(tasks.count, Self.noun(first)))
      + Self.made(first) + " "
      + (isOne ? verdict.one : verdict.several) + ": " + (isOne ? "it " : "they ")
      + Self.waits(first, first.wait, isOne: isOne)
    details = first.children.prefix(Self.mostChildren).map { child in
      "a child" + (PlaceText.place(child.maker).map { " made at \($0)" } ?? "") + " "
        + Self.waits(first, child.wait, isOne: true)
    }
    let caller = first.kind == .lock ? PlaceText.callSite(of: first.maker)?.place : nil
    place = caller.flatMap { $0.line ?? 0 > 0 ? $0 : nil } ?? first.place
    frames = first.maker + first.wait.place
    kind = first.kind
  }

  private static let mostChildren = 4

  private static func noun(_ task: LiveTask) -> String {
    switch task.kind {
    case .task: "task"
    case .thread: "thread"
    case .queue: "queue"
    case .source: "dispatch source"
    case .timer: "timer"
    case .delayedBlock: "delayed block"
    case .lock: "lock"
    }
  }

  private static func made(_ task: LiveTask) -> String {
    let verb =
      switch task.kind {
      case .lock: "acquired"
      case .delayedBlock: "queued"
      default: "made"
      }
    return PlaceText.place(task.maker).map { " \(verb) at \($0)" } ?? ""
  }

  private static func waits(
    _ task: LiveTask, _ wait: LiveTask.Wait, isOne: Bool
  ) -> String {
    let waits = isOne ? "waits" : "wait"
    // Leave out library functions that are inlined into user code: they have no line.
    let lines = wait.place.filter { $0.line ?? 0 > 0 }
    let place = PlaceText.at(lines.isEmpty ? wait.place : lines)
    return switch wait.state {
    case .continuation: "\(waits) for a continuation\(place), not resumed yet"
    case .stream: "\(waits) for the next element of an AsyncStream\(place)"
    case .task: "\(waits) for another task\(place)"
    case .taskGroup: "\(isOne ? "is" : "are") in a task group\(place)"
    case .actor(let type):
      "\(waits) to enter " + (type.map { "the actor \(Printable.label($0))" } ?? "an actor") + place
    case .sleep: "\(isOne ? "sleeps" : "sleep")\(place)"
    case .call: "\(waits) for an asynchronous call\(place)"
    case .object(let kind): "\(waits) for \(name(of: kind))\(place)"
    case .suspended: "\(isOne ? "is" : "are") still suspended"
    case .inactive: "\(isOne ? "was" : "were") not activated"
    case .active: "\(isOne ? "was" : "were") not cancelled"
    case .delayed: "\(isOne ? "has" : "have") not begun yet"
    case .held: "\(isOne ? "is" : "are") still held" + (place.isEmpty ? "" : "; made\(place)")
    case .none:
      (isOne ? "runs, or waits" : "run, or wait")
        + (task.kind == .thread ? " for the system" : " for a thread")
    }
  }

  private static func name(of kind: WaitSnapshot.ObjectKind) -> String {
    switch kind {
    case .mutex, .readLock, .writeLock, .swiftMutex: "a lock"
    case .condition: "a condition"
    case .semaphore: "a semaphore"
    case .group: "a Dispatch group"
    case .queue: "a queue"
    case .workItem: "a work item"
    case .thread: "another thread"
    case .initializer: "an initialiser"
    default: "another thread's signal"
    }
  }
}
