/// The chains of stuck threads: from a thread that joins its workers, for instance, down to the
/// wait that blocks them all.
struct WaitChains {
  /// A stuck thread that blocks another, and the gate.
  struct Keeper {
    var gate: Diagnosis.Gate
    var thread: Int
  }

  /// A stuck thread, and the one that blocks it.
  typealias Link = (thread: Int, keeper: Keeper)

  /// The most keepers that are followed from one blocked thread.
  private static let mostKeepers = 16

  /// By the thread that is blocked.
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

  /// The stuck threads that block a thread: the holders of the object for which it waits and, if it
  /// waits for a signal, the threads that it has started or whose blocks it has enqueued.
  private static func keepers(of thread: Int, _ liveness: Liveness) -> [Keeper] {
    let index = liveness.index
    guard let wait = index.threads[thread].wait else { return [] }
    var gates = WaitCycle.gates(of: thread, liveness, .semaphores)
    if wait.kind.isSignal {
      let id = index.threads[thread].id
      let started = (index.startedBy[id] ?? []) + (index.children[id] ?? [])
      // A thread that waits for the same signal cannot give it.
      gates.append((.started(id), started.filter { index.threads[$0].wait?.object != wait.object }))
    }
    return gates.flatMap { gate, threads in
      threads.lazy.filter { $0 != thread && WaitIndex.contains($0, in: liveness.stuck) }
        .prefix(mostKeepers).map { Keeper(gate: gate, thread: $0) }
    }
  }

  /// Whether no stuck thread is known to block a thread: its own wait is the cause.
  func isInnermost(_ thread: Int) -> Bool { keepers[thread] == nil }

  /// Why a thread waits, why the thread that blocks it waits, and so on; empty if no thread is
  /// known to block it. The innermost thread is the last one, unless that is part of a cycle.
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

  /// The threads that wait for these threads, directly or through others, the farthest first, each
  /// with the gate of the next thread in the chain.
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
