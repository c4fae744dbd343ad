import Interlock
import Hangs

extension CauseFormatter {
  func cycle(_ waits: [Diagnosis.BlockedWait], _ others: [Diagnosis.Party]) -> Lines {
    let count = waits.count
    let headline =
      count == 1
      ? "\(names.party(waits[0].waiter)) waits for itself"
      : "\(SnapshotNames.count(waits.map(\.waiter))) wait for each other"
    let shown = min(count, Self.mostDetails)
    var details = Self.limited(
      (0..<shown).map { line(of: waits[$0], after: waits[($0 + count - 1) % count]) },
      of: count, "thread")
    if !others.isEmpty {
      details.append(
        "\(SnapshotNames.count(others, "other ")) \(others.count == 1 ? "waits" : "wait") "
          + "besides them")
    }
    return (headline, details)
  }

  /// `thread 12 holds mutex 0x1 (Cache.swift:10) and waits for queue "b" at Cache.swift:20, which
  /// thread 13 is on`.
  private func line(
    of link: Diagnosis.BlockedWait, after last: Diagnosis.BlockedWait
  ) -> String {
    var text = names.party(link.waiter)
    guard let wait = wait(of: link.waiter) else { return text }
    let waiting = names.waiting(wait) + PlaceText.at(wait.place)
    if link.waiter.isTask { return text + " " + waiting }
    if let has = possession(of: link.waiter, last.gate) { text += " \(has) and" }
    return text + " " + waiting + comma(link, wait)
  }

  /// What a thread holds at a gate, as in `holds mutex 0x1 (Cache.swift:10)` or `is on queue "b"
  /// (Cache.swift:3)`.
  private func possession(of party: Diagnosis.Party, _ gate: Diagnosis.Gate) -> String? {
    guard let object = gate.object else {
      if case .main = gate { return "is the main thread" }
      return nil
    }
    guard let found = thread(party) else { return nil }
    if let held = found.held.last(where: { $0.object == object }) {
      let name = names.object(Diagnosis.Object(held.kind, object))
      return held.kind == .actor ? "is on " + name : "holds " + name + parenthesis(held.place)
    }
    if let run = found.runs.last(where: { $0.workItem == object || $0.group == object }) {
      let what = run.workItem == object ? "a work item" : "a block of a group"
      return "is in \(what) on " + names.queue(run.queue) + parenthesis(run.place)
    }
    if let run = found.runs.last(where: { isBelow($0.queue, object) }) {
      return "is on " + names.queue(run.queue) + parenthesis(run.place)
    }
    return nil
  }

  private func parenthesis(_ place: [StackFrame]) -> String {
    PlaceText.place(place).map { " (\($0))" } ?? ""
  }

  func signalCycle(
    _ waiter: Diagnosis.Party, _ object: WaitIndex.ObjectID, _ blocked: [Diagnosis.Party]
  ) -> Lines {
    let name = names.party(waiter)
    var details: [String] = []
    if let wait = wait(of: waiter) {
      details.append("\(name) \(names.waiting(wait))\(PlaceText.at(wait.place))")
    }
    if let held = thread(waiter)?.held.last(where: { $0.object == object }) {
      details.append(
        "it holds \(names.object(Diagnosis.Object(held.kind, held.object)))" + since(held.place))
    }
    return (
      "\(name) waits for a signal, and every thread that could send it is blocked by \(name)",
      details + waitLines(blocked)
    )
  }

  func suspendedHolder(
    _ task: WaitIndex.ObjectID, _ lock: Diagnosis.Object, _ waiters: [Diagnosis.Party],
    _ others: [Diagnosis.Party]
  ) -> Lines {
    let name = names.object(lock)
    let held = index.heldByTasks.first { $0.leftBy == task && $0.object == lock.id }
    let waiting =
      waiters.count == 1
      ? "\(names.party(waiters[0])) waits" : "\(SnapshotNames.count(waiters)) wait"
    return (
      "a task holds \(name) and waits"
        + PlaceText.at(index.signals[task]?.created ?? [])
        + ", and \(waiting) for the \(SnapshotNames.name(lock.kind))",
      [PlaceText.placeAndCaller(held?.place ?? []).map { "the task took it at \($0)" }]
        .compactMap(\.self) + waitLines(waiters) + waitLines(others)
    )
  }

  func blockedActor(
    _ actor: WaitIndex.ObjectID, _ holder: Diagnosis.Party, _ signal: Diagnosis.Object,
    _ entering: [Diagnosis.Party], _ others: [Diagnosis.Party]
  ) -> Lines {
    let name = names.object(Diagnosis.Object(.actor, actor))
    let tasks =
      entering.count == 1
      ? "\(names.party(entering[0])) waits" : "\(Counted.noun(entering.count, "task")) wait"
    return (
      "\(names.party(holder)) is on \(name) and \(SnapshotNames.waiting(signal.kind)), "
        + "and \(tasks) to enter it",
      waitLines([holder]) + waitLines(entering) + waitLines(others)
    )
  }
}
