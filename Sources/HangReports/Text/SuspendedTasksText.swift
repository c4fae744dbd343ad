package import Interlock
package import WaitForGraph

/// The suspended tasks of a process as lines: what they wait for, at which `await`, and where they
/// were made. The system has no such list on Linux.
package struct SuspendedTasksText: Sendable {
  /// A headline and a line for each await, indented; empty if no suspended task is known.
  package let lines: [String]

  /// Formats the suspended tasks of a snapshot with symbols.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - mostLines: How many awaits are shown, those of most tasks first.
  package init(_ snapshot: WaitSnapshot, mostLines: Int = 24) {
    let texts = Self.texts(of: snapshot)
    guard !texts.isEmpty else {
      lines = []
      return
    }
    let rows = CauseFormatter.counted(Array(texts.values))
    let noun = texts.count == 1 ? "1 task is" : "\(Counted.number(texts.count)) tasks are"
    var lines = ["\(noun) suspended:"]
    lines += rows.prefix(mostLines).map { row in
      "  \(Counted.noun(row.count, "task")) \(row.count == 1 ? "waits" : "wait") \(row.text)"
    }
    if rows.count > mostLines {
      lines.append("  … and tasks at \(Counted.noun(rows.count - mostLines, "more await"))")
    }
    self.lines = lines
  }

  /// What each task waits for, without those in which a test library waits for its tests.
  private static func texts(of snapshot: WaitSnapshot) -> [WaitSnapshot.ObjectID: String] {
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
