package import Hangs
package import Interlock

/// Tasks that have not ended as lines: those that one place has made and that wait at one place
/// together.
package struct LiveTaskText: Sendable {
  /// `2 tasks, made at Feed.swift:12  Feed.start(): they wait for a continuation at …`
  package let line: String
  /// What the children of the first task wait for.
  package let details: [String]
  /// The line of the user's code that made the tasks; `nil` if it is not known.
  package let place: StackFrame?
  /// The frames of the place, and of the `await`.
  package let frames: [StackFrame]
  /// How many tasks there are.
  package let count: Int

  /// Formats tasks with symbols, in the order in which their places made the first of them.
  ///
  /// - Parameters:
  ///   - tasks: The tasks.
  ///   - verdict: What is said of them, for one and for several: `has not ended`.
  /// - Returns: A text for each pair of places.
  package static func texts(
    of tasks: [LiveTask], verdict: (one: String, several: String)
  ) -> [LiveTaskText] {
    var order: [String] = []
    var groups: [String: [LiveTask]] = [:]
    for task in tasks {
      let key = made(task) + "\n" + waits(task.wait, isOne: true)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(task)
    }
    return order.compactMap { groups[$0].map { LiveTaskText($0, verdict) } }
  }

  private init(_ tasks: [LiveTask], _ verdict: (one: String, several: String)) {
    let isOne = tasks.count == 1
    let first = tasks[0]
    line =
      (isOne ? "a task" : Counted.noun(tasks.count, "task")) + Self.made(first) + " "
      + (isOne ? verdict.one : verdict.several) + ": " + (isOne ? "it " : "they ")
      + Self.waits(first.wait, isOne: isOne)
    details = first.children.prefix(Self.mostChildren).map { child in
      "a child" + (PlaceText.place(child.maker).map { " made at \($0)" } ?? "") + " "
        + Self.waits(child.wait, isOne: true)
    }
    place = first.place
    frames = first.maker + first.wait.place
    count = tasks.count
  }

  private static let mostChildren = 4

  private static func made(_ task: LiveTask) -> String {
    PlaceText.place(task.maker).map { " made at \($0)" } ?? ""
  }

  private static func waits(_ wait: LiveTask.Wait, isOne: Bool) -> String {
    let waits = isOne ? "waits" : "wait"
    let place = PlaceText.at(wait.place)
    return switch wait.state {
    case .continuation: "\(waits) for a continuation\(place), not resumed yet"
    case .stream: "\(waits) for the next element of an AsyncStream\(place)"
    case .task: "\(waits) for another task\(place)"
    case .taskGroup: "\(isOne ? "is" : "are") in a task group\(place)"
    case .actor(let type):
      "\(waits) to enter " + (type.map { "the actor \(Printable.label($0))" } ?? "an actor") + place
    case .sleep: "\(isOne ? "sleeps" : "sleep")\(place)"
    case .call: "\(waits) for an asynchronous call\(place)"
    case .none: "\(isOne ? "runs, or waits" : "run, or wait") for a thread"
    }
  }
}
