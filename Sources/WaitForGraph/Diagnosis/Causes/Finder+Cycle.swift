import Interlock

extension Finder {
  /// A cycle of threads. Cycles through resources that only their holder releases come first.
  var cycle: Finding? {
    for kinds in [Ring.Links.exclusive, .semaphores, .enqueued] {
      if let ring = Ring(among: liveness, by: kinds) { return finding(of: ring) }
    }
    return nil
  }

  private func finding(of ring: Ring) -> Finding {
    let links = ring.links
    let count = links.count
    var result = finding(
      .cycle,
      count == 1
        ? "\(words.thread(links[0].thread)) waits for itself"
        : "\(words.count(links.map(\.thread))) wait for each other")
    let shown = min(count, Self.mostDetails)
    result.details = Self.limited(
      (0..<shown).map {
        line(of: links[$0], after: links[($0 + count - 1) % count], before: links[($0 + 1) % count])
      },
      of: count, "thread")
    result.markedThreads = Set(links.map(\.thread))
    let others = liveness.stuck.filter { !result.markedThreads.contains($0) }
    if !others.isEmpty {
      result.details.append(
        "\(words.count(others, "other ")) \(others.count == 1 ? "waits" : "wait") besides them")
    }
    result.advice = [
      links.allSatisfy { index.isTask($0.thread) }
        ? "safe when: a task waits for no task that waits for it, directly or over others"
        : "safe when: all threads take them in one order, or wait for none while they have one"
    ]
    for link in links {
      if let object = link.gate.object { result.markedObjects.insert(object) }
      if let wait = index.threads[link.thread].wait { result.markedObjects.insert(wait.object) }
    }
    return result
  }

  /// `thread 12 holds mutex 0x1 (Cache.swift:10) and waits for queue "b" at Cache.swift:20, which
  /// thread 13 is on`.
  private func line(of link: Ring.Link, after last: Ring.Link, before next: Ring.Link) -> String {
    guard let wait = index.threads[link.thread].wait else { return words.thread(link.thread) }
    var text = words.thread(link.thread)
    if index.isTask(link.thread) {
      return text + " " + words.waiting(wait) + Wording.at(wait.place)
    }
    if let has = possession(of: link.thread, last.gate) { text += " \(has) and" }
    text += " " + words.waiting(wait) + Wording.at(wait.place)
    return text + ", " + reason(link.gate, wait, by: next.thread)
  }

  /// What a thread holds at a gate: `holds mutex 0x1 (Cache.swift:10)`, `is on queue "b"
  /// (Cache.swift:3)`.
  private func possession(of thread: Int, _ gate: Need.Gate) -> String? {
    guard let object = gate.object else {
      if case .main = gate { return "is the main thread" }
      return nil
    }
    let found = index.threads[thread]
    if let held = found.held.last(where: { $0.object == object }) {
      if held.kind == .actor { return "is on " + words.object(.actor, object) }
      return "holds " + words.object(held.kind, object) + parenthesis(held.place)
    }
    if let run = found.runs.last(where: { $0.workItem == object || $0.group == object }) {
      let what = run.workItem == object ? "a work item" : "a block of a group"
      return "is in \(what) on " + words.queue(run.queue) + parenthesis(run.place)
    }
    if let run = found.runs.last(where: { isBelow($0.queue, object) }) {
      return "is on " + words.queue(run.queue) + parenthesis(run.place)
    }
    return nil
  }

  private func parenthesis(_ place: [StackFrame]) -> String {
    Wording.place(place).map { " (\($0))" } ?? ""
  }

  /// Whether a queue is another, or targets it.
  func isBelow(_ queue: WaitIndex.ObjectID, _ target: WaitIndex.ObjectID) -> Bool {
    guard let number = index.queueAt[queue] else { return queue == target }
    return index.chains[number].contains { index.queues[$0].id == target }
  }

  /// Why a thread waits: `which thread 13 holds since Cache.swift:20`.
  func reason(_ gate: Need.Gate, _ wait: WaitSnapshot.Wait, by thread: Int) -> String {
    let who = words.thread(thread)
    let found = index.threads[thread]
    switch gate {
    case .lock where wait.kind == .actor: return "which \(who) is on"
    case .lock, .writers, .readersAndWriters, .semaphore:
      let place = found.held.last { $0.object == wait.object }.flatMap { Wording.place($0.place) }
      return "which \(who) holds" + (place.map { " since " + $0 } ?? "")
    case .writeWaiters, .barrierWaiters: return "behind \(who), which waits to be alone"
    case .queue(let queue), .runners(let queue):
      guard let run = found.runs.last(where: { isBelow($0.queue, queue) }) else {
        return "which \(who) is on"
      }
      let on =
        run.queue == wait.object
        ? "which \(who) is on" : "and \(who) is on \(words.queue(run.queue))"
      return on + (Wording.place(run.place).map { " since " + $0 } ?? "")
    case .main: return "which only \(who) runs"
    case .apply: return "one of which \(who) is in"
    case .children: return "one of which is \(who)"
    case .end, .jobs: return "which is \(who)"
    case .workItem, .members: return "which \(who) is in"
    case .started: return "and \(who) is in a block that it has enqueued"
    }
  }
}

extension Need.Gate {
  /// Its lock or queue; `nil` for none.
  var object: WaitSnapshot.ObjectID? {
    switch self {
    case .lock(let id), .writers(let id), .readersAndWriters(let id), .writeWaiters(let id),
      .queue(let id), .runners(let id), .barrierWaiters(let id), .apply(let id), .jobs(let id),
      .semaphore(let id), .workItem(let id), .members(let id),
      .children(let id):
      id
    case .end, .main, .started: nil
    }
  }
}
