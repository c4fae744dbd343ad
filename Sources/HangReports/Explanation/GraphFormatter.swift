import Interlock
import Hangs

/// Formats the nodes and edges of a diagnosis.
struct GraphFormatter {
  let names: SnapshotNames
  private var index: WaitIndex { names.index }

  /// The most thread numbers listed in one node.
  private static let mostListed = 8
  /// The shortest wait, in seconds, that is shown with its time.
  private static let shortestWait = 0.05

  func edge(_ edge: Diagnosis.Edge) -> Explanation.Edge {
    Explanation.Edge(
      from: edge.from.description, to: edge.to.description, label: Self.label(edge.relation),
      isMarked: edge.isMarked)
  }

  private static func label(_ relation: Diagnosis.Edge.Relation) -> String {
    switch relation {
    case .waitsFor: "waits for"
    case .worksOn: "works on"
    case .heldBy: "held by"
    case .runsOn: "runs on"
    case .made: "made"
    case .threadOf: "thread of"
    case .queuedOn: "queued on"
    case .needsThreadOf: "needs a thread of"
    }
  }

  func node(_ node: Diagnosis.Node) -> Explanation.Node {
    var result = Explanation.Node(
      id: node.id.description, kind: node.kind, count: node.count, title: "",
      isMarked: node.isMarked)
    switch node.subject {
    case .parties(let parties): describe(parties, &result)
    case .object(let object): describe(object, &result)
    case .queue(let queue): describe(queue: queue, &result)
    case .blocks(let queue, let position): describe(blocksAt: position, of: queue, &result)
    case .rest: result.title = "… and \(Counted.number(node.count)) more"
    }
    return result
  }

  private func describe(_ parties: [Diagnosis.Party], _ node: inout Explanation.Node) {
    node.title = parties.count == 1 ? names.party(parties[0]) : SnapshotNames.count(parties)
    guard let first = parties.first.flatMap(index.position) else { return }
    let thread = index.threads[first]
    node.stack = thread.stack
    if let wait = thread.wait {
      node.place = PlaceText.frame(of: wait.place)
      node.details.append(names.waiting(wait) + PlaceText.at(wait.place))
      let longest = parties.compactMap(seconds).max() ?? 0
      if longest >= Self.shortestWait { node.details.append("for \(Self.tenths(longest)) s") }
      if wait.hasTimeLimit { node.details.append("with a time limit") }
    } else {
      node.elsewhere = thread.elsewhere
      node.details.append(Self.text(thread.elsewhere))
    }
    if parties.count > 1, !index.isTask(first) {
      let shown = parties.prefix(Self.mostListed).map { party in
        switch party {
        case .thread(let number): String(number)
        case .task(let address): String(address)
        }
      }
      let rest = parties.count - shown.count
      node.details.append(
        "threads " + shown.joined(separator: ", ")
          + (rest > 0 ? " and \(Counted.number(rest)) more" : ""))
    }
  }

  private func seconds(of party: Diagnosis.Party) -> Double? {
    index.position(of: party).flatMap { index.threads[$0].wait?.seconds }
  }

  private func describe(_ object: Diagnosis.Object, _ node: inout Explanation.Node) {
    node.title = names.object(object)
    if let signal = index.signals[object.id] {
      node.place = names.makers.frame(of: signal)
      if let made = names.makers.place(of: signal) { node.details.append("made at \(made)") }
      if signal.kind == .group {
        node.details.append("entered \(signal.enters), left \(signal.releases)")
      }
      if signal.kind == .semaphore {
        node.details.append("signalled \(Counted.noun(signal.releases, "time"))")
      }
    }
    if let left = index.leftLocks[object.id] {
      node.details.append("left locked by thread \(left.thread), which has ended")
      if let place = PlaceText.place(left.place) { node.details.append("taken at \(place)") }
    }
  }

  private func describe(queue id: WaitIndex.ObjectID, _ node: inout Explanation.Node) {
    node.title = names.queue(id)
    guard let number = index.queueAt[id] else { return }
    let queue = index.queues[number]
    let kind = names.queueKind(number)
    if !kind.isEmpty, !queue.isRoot { node.title += " (\(kind))" }
    if queue.queued > 0 { node.details = ["\(Counted.noun(queue.queued, "block")) queued"] }
  }

  private func describe(
    blocksAt position: Int, of id: WaitIndex.ObjectID, _ node: inout Explanation.Node
  ) {
    let all = index.queueAt[id].map { index.queues[$0].blocks } ?? []
    let blocks = all.indices.contains(position) ? all[position] : nil
    let noun = blocks?.isJob ?? false ? "job" : "block"
    node.title = Counted.noun(node.count, noun) + " queued on \(names.queue(id))"
    guard let blocks else { return }
    node.place = PlaceText.frame(of: blocks.place)
    if let line = PlaceText.place(blocks.place) { node.details.append("enqueued at \(line)") }
    if blocks.isBarrier { node.details.append("with a barrier") }
  }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int((min(max(0, seconds), 1e12) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func text(_ elsewhere: WaitSnapshot.Elsewhere) -> String {
    switch elsewhere {
    case .running: "runs"
    case .idle: "has no work"
    case .listening: "listens for events"
    case .outside: "is in a system call that ends by itself"
    case .input: "waits for an event from outside the process"
    case .unknown: "sleeps, and the reason is not known"
    }
  }
}
