/// The chains of stuck threads: for example, from a thread that joins its workers to the wait that
/// blocks all of them.
struct WaitChains {
  /// A stuck thread that blocks another thread, and the gate through which it does.
  struct Keeper {
    var gate: Diagnosis.Gate
    var thread: Int
  }

  /// A stuck thread, and the thread that blocks it.
  typealias Link = (thread: Int, keeper: Keeper)

  /// The most keepers that are followed from a blocked thread.
  private static let mostKeepers = 16

  /// The keepers of each blocked thread.
  private let keepers: [Int: [Keeper]]
  private let kept: [Int: [Int]]

  init(_ liveness: Liveness) {
    var keepers: [Int: [Keeper]] = [:]
    var kept: [Int: [Int]] = [:]
    for thread in liveness.stuck {
      let found = Self.keepers(of: thread, liveness)
      guard !found.isEmpty else { continue }
      keepers[thread] = found
      for keeper in found { kept[keeper.thread, default: []].append(thread) }
    }
    self.keepers = keepers
    self.kept = kept
  }

  /// The stuck threads that block a thread: the holders of the object it waits for and, for a
  /// signal, the threads that it started or whose blocks it enqueued.
  private static func keepers(of thread: Int, _ liveness: Liveness) -> [Keeper] {
    let index = liveness.index
    guard let wait = index.threads[thread].wait else { return [] }
    var gates = WaitCycle.gates(of: thread, liveness, .semaphores)
    if wait.kind.isSignal {
      let id = index.threads[thread].id
      let started = (index.startedBy[id] ?? []) + (index.children[id] ?? [])
      // Exclude threads that wait for the same signal: they cannot send it.
      gates.append((.started(id), started.filter { index.threads[$0].wait?.object != wait.object }))
    }
    return gates.flatMap { gate, threads in
      threads.lazy.filter { $0 != thread && WaitIndex.contains($0, in: liveness.stuck) }
        .prefix(mostKeepers).map { Keeper(gate: gate, thread: $0) }
    }
  }

  /// True if no stuck thread is known to block a thread: then the thread's own wait is the cause.
  func isInnermost(_ thread: Int) -> Bool { keepers[thread] == nil }

  /// The chain of waits from a thread to the innermost thread that blocks it; empty if no thread is
  /// known to block it. `innermost` is `nil` if the chain ends in a cycle.
  func chain(from first: Int) -> (keepers: [Link], innermost: Int?) {
    var links: [Link] = []
    var seen: Set<Int> = []
    var thread = first
    while seen.insert(thread).inserted, let keeper = keepers[thread]?.first {
      links.append((thread, keeper))
      thread = keeper.thread
    }
    return (links, isInnermost(thread) ? thread : nil)
  }

  /// The threads that wait for these threads, directly or through others, the farthest first. Each
  /// link has the gate of the next thread in the chain.
  func waiters(for threads: [Int]) -> [Link] {
    var seen = Set(threads)
    var found: [Link] = []
    var open = threads[...]
    while let next = open.popFirst() {
      for thread in kept[next] ?? [] where seen.insert(thread).inserted {
        guard let keeper = keepers[thread]?.first(where: { $0.thread == next }) else { continue }
        found.append((thread, keeper))
        open.append(thread)
      }
    }
    return found.reversed()
  }
}

extension Finder {
  /// A link of a chain.
  func blockedWait(_ link: WaitChains.Link) -> Diagnosis.BlockedWait {
    Diagnosis.BlockedWait(
      index.party(link.thread), link.keeper.gate, by: index.party(link.keeper.thread))
  }
}
