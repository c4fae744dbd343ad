/// A cycle: each thread waits for an object that the next one holds, and the last waits for the
/// first.
struct WaitCycle {
  /// A thread, and the gate at which the next thread of the cycle blocks it.
  struct Link: Equatable {
    var thread: Int
    var gate: Diagnosis.Gate
  }

  /// The waits that may be links of a cycle.
  enum Links {
    /// Locks, queues and the ends of threads: only their holder releases them.
    case exclusive
    /// Also semaphores used as locks.
    case semaphores
    /// Also threads that run blocks which the waiting thread has enqueued: it may wait for their
    /// end.
    case enqueued
    /// Also threads that the waiting thread has started: it may wait for their signals.
    case started
  }

  /// The links, starting at the thread with the lowest number.
  let links: [Link]

  /// Finds a cycle among the stuck threads; `nil` if there is none.
  init?(among liveness: Liveness, by kinds: Links) {
    var search = Search(liveness: liveness, kinds: kinds)
    guard let links = search.run() else { return nil }
    let first = links.indices.min { links[$0].thread < links[$1].thread } ?? 0
    self.links = Array(links[first...] + links[..<first])
  }

  /// The gates that block a thread, each with its threads.
  static func gates(
    of thread: Int, _ liveness: Liveness, _ kinds: Links
  ) -> [(Diagnosis.Gate, [Int])] {
    let index = liveness.index
    var gates = index.needs(of: thread).filter { !liveness.isMet($0) }.compactMap(\.gate)
    guard let wait = index.threads[thread].wait, kinds != .exclusive else { return gates }
    if wait.kind == .semaphore, let holders = index.semaphoreHolders[wait.object] {
      gates.append((.semaphore(wait.object), holders))
    }
    guard kinds == .enqueued || kinds == .started else { return gates }
    // A main thread that waits for blocks which need the main thread is reported as a dry pool.
    gates.removeAll { $0.0 == .main }
    guard wait.kind.isSignal else { return gates }
    let id = index.threads[thread].id
    // Exclude threads that wait for the same signal: they cannot send it.
    let children = kinds == .started ? index.children[id] ?? [] : []
    let started = ((index.startedBy[id] ?? []) + children).filter {
      index.threads[$0].wait?.object != wait.object
    }
    if !started.isEmpty { gates.append((.started(id), started)) }
    for queue in index.enqueuedBy[id] ?? []
    where !index.isMain(queue) && !liveness.canBegin(blocksOn: queue) {
      gates += index.needs(ofBlocksOn: queue).compactMap(\.gate).filter {
        if case .queue = $0.0 { !$0.1.contains(thread) } else { false }
      }
    }
    return gates
  }
}

extension WaitCycle {
  /// A depth-first search without recursion: a cycle may have ten thousand threads.
  private struct Search {
    private enum Step: Hashable {
      case thread(Int)
      case gate(Diagnosis.Gate)
    }
    private struct Visit {
      var step: Step
      var next: [Step]
      var position = 0
    }

    let liveness: Liveness
    let kinds: Links
    private var path: [Visit] = []
    private var onPath: [Step: Int] = [:]
    private var seen: Set<Step> = []
    private var members: [Diagnosis.Gate: [Int]] = [:]

    init(liveness: Liveness, kinds: Links) {
      self.liveness = liveness
      self.kinds = kinds
    }

    mutating func run() -> [Link]? {
      for thread in liveness.stuck where !seen.contains(.thread(thread)) {
        enter(.thread(thread))
        while let last = path.indices.last {
          guard path[last].position < path[last].next.count else {
            onPath[path.removeLast().step] = nil
            continue
          }
          let next = path[last].next[path[last].position]
          path[last].position += 1
          if let start = onPath[next] { return links(from: start) }
          if !seen.contains(next) { enter(next) }
        }
      }
      return nil
    }

    private mutating func enter(_ step: Step) {
      seen.insert(step)
      onPath[step] = path.count
      path.append(Visit(step: step, next: next(after: step)))
    }

    private mutating func next(after step: Step) -> [Step] {
      switch step {
      case .thread(let thread):
        return WaitCycle.gates(of: thread, liveness, kinds).map { gate, threads in
          members[gate] = threads
          return .gate(gate)
        }
      case .gate(let gate):
        return (members[gate] ?? []).filter { WaitIndex.contains($0, in: liveness.stuck) }
          .map { .thread($0) }
      }
    }

    private func links(from start: Int) -> [Link]? {
      var steps = path[start...].map(\.step)
      if case .gate = steps[0] { steps.append(steps.removeFirst()) }
      var links: [Link] = []
      for pair in stride(from: 0, to: steps.count - 1, by: 2) {
        guard case .thread(let thread) = steps[pair], case .gate(let gate) = steps[pair + 1] else {
          continue
        }
        links.append(Link(thread: thread, gate: gate))
      }
      return links.isEmpty ? nil : links
    }
  }
}
