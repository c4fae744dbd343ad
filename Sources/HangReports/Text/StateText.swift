package import Interlock
package import Hangs

/// The state of a process as lines: the suspended tasks with what they wait for, at which `await`,
/// and where they were made, and the threads that wait. The system has no such list of tasks on
/// Linux.
package struct StateText: Sendable {
  /// A headline and a line for each `await`, indented; empty if no suspended task is known.
  package let tasks: [String]
  /// A headline and a line for each wait of threads, indented; empty if no thread waits.
  package let threads: [String]

  /// Formats a snapshot with symbols.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - mostLines: How many waits are shown in each list, those of most tasks or threads first.
  package init(_ snapshot: WaitSnapshot, mostLines: Int = 24) {
    let awaits = Array(Self.awaits(in: snapshot).values)
    tasks = Self.list(
      awaits, "task", awaits.count == 1 ? "is suspended" : "are suspended", mostLines)
    let waits = Self.waits(in: snapshot)
    threads = Self.list(
      waits.map(\.text), "thread", waits.count == 1 ? "waits" : "wait", mostLines,
      names: Dictionary(waits.map { ($0.text, $0.name) }, uniquingKeysWith: { first, _ in first }))
  }

  private static func list(
    _ texts: [String], _ noun: String, _ state: String, _ mostLines: Int,
    names: [String: String] = [:]
  ) -> [String] {
    guard !texts.isEmpty else { return [] }
    let rows = CauseFormatter.counted(texts)
    let shown = rows.prefix(mostLines).map { row in
      let subject = row.count == 1 ? names[row.text] : nil
      return "  \(subject ?? Counted.noun(row.count, noun))"
        + " \(row.count == 1 ? "waits" : "wait") \(row.text)"
    }
    let rest = rows.count - shown.count
    return ["\(Counted.noun(texts.count, noun)) \(state):"] + shown
      + (rest > 0 ? ["  … and \(Counted.noun(rest, "more wait"))"] : [])
  }

  /// A text for each thread that waits: the object, and the thread that holds the lock, or works on
  /// the queue, if one does.
  private static func waits(in snapshot: WaitSnapshot) -> [(text: String, name: String)] {
    let index = WaitIndex(snapshot)
    let names = SnapshotNames(index)
    return index.threads.indices.prefix(index.threadCount).compactMap {
      position -> (text: String, name: String)? in
      guard let wait = index.threads[position].wait else { return nil }
      // Without the verb, which the number of threads decides.
      let what = names.waiting(wait).drop { $0 != " " }.dropFirst()
      let others = index.threads.indices.filter { $0 != position }
      let keeper = others.lazy.compactMap { other in
        text(index.threads[other], keeps: wait).map { ", \($0(names.party(index.party(other))))" }
      }.first
      return (
        what + PlaceText.at(wait.place) + (keeper ?? ""), names.party(index.party(position))
      )
    }
  }

  /// How a thread keeps another one waiting, for its name; `nil` if it does not.
  private static func text(
    _ thread: WaitSnapshot.Thread, keeps wait: WaitSnapshot.Wait
  ) -> ((String) -> String)? {
    if let held = thread.held.first(where: { $0.object == wait.object }) {
      let since = PlaceText.place(held.place).map { " since \($0)" } ?? ""
      return { "which \($0) holds\(since)" }
    }
    guard wait.kind == .queue, thread.runs.contains(where: { $0.queue == wait.object }) else {
      return nil
    }
    return { "on which \($0) works" }
  }

  /// A text for each suspended task, without those in which a test library waits for its tests.
  private static func awaits(in snapshot: WaitSnapshot) -> [WaitSnapshot.ObjectID: String] {
    var texts: [WaitSnapshot.ObjectID: String] = [:]
    func add(_ task: WaitSnapshot.ObjectID, _ what: String, at place: [StackFrame]) {
      guard !place.contains(where: \.isTestLibrarys) else { return }
      let maker = snapshot.taskMakers[task] ?? []
      let made = maker.contains(where: \.isTestLibrarys) ? nil : PlaceText.place(maker)
      texts[task] = what + PlaceText.at(place) + (made.map { ", made at \($0)" } ?? "")
    }
    for signal in snapshot.signals where signal.isWaitingTask {
      let what = signal.kind == .stream ? "for an AsyncStream's next element" : "for a continuation"
      add(signal.id, what, at: signal.created)
    }
    for wait in snapshot.awaits {
      let what =
        switch wait.kind {
        case .actor:
          "to enter "
            + (snapshot.actorTypes[wait.object].map { "the actor \(Printable.label($0))" }
              ?? "an actor")
        case .taskGroup: "for the tasks of a group"
        default: "for another task"
        }
      add(wait.task, what, at: wait.place)
    }
    return texts
  }
}

extension StackFrame {
  /// Whether it is in Swift Testing or XCTest, where these are libraries of their own.
  package var isTestLibrarys: Bool {
    let libraries = ["libXCTest", "libTesting", "lib_Testing"]
    return image.map { image in libraries.contains(where: image.hasPrefix) } ?? false
  }
}
