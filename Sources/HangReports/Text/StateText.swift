package import Interlock
package import Hangs

/// The state of a process as lines: each suspended task with its wait, its `await` and the place
/// that created it, and the waiting threads. Linux has no such list of tasks.
package struct StateText: Sendable {
  /// A headline and one indented line for each `await`; empty if no suspended task is known.
  package let tasks: [String]
  /// A headline and one indented line for each wait of threads; empty if no thread waits.
  package let threads: [String]

  /// Formats a snapshot with symbols.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - mostLines: The number of waits shown in each list, those of the most tasks or threads
  ///     first.
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

  /// A text for each waiting thread: the object, and the thread that holds the lock or runs on the
  /// queue, if there is one.
  private static func waits(in snapshot: WaitSnapshot) -> [(text: String, name: String)] {
    let index = WaitIndex(snapshot)
    let names = SnapshotNames(index)
    return index.threads.indices.prefix(index.threadCount).compactMap {
      position -> (text: String, name: String)? in
      guard let wait = index.threads[position].wait else { return nil }
      // Leave out the verb: it depends on the number of threads.
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

  /// How a thread blocks another one, as a function of the thread's name; `nil` if it does not.
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

  /// A text for each suspended task, except for tasks in which a test library waits for its tests.
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
  /// True for a frame in Swift Testing or XCTest, if these are separate libraries.
  package var isTestLibrarys: Bool {
    let libraries = ["libXCTest", "libTesting", "lib_Testing"]
    return image.map { image in libraries.contains(where: image.hasPrefix) } ?? false
  }
}
