import Interlock

/// The chains of stuck threads: from a thread that joins its workers down to the wait that blocks
/// them all.
struct WaitChains {
  /// A stuck thread that blocks another, and the gate.
  struct Keeper {
    var gate: Need.Gate
    var thread: Int
  }

  /// The most threads that are followed from one blocked thread.
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

  /// The stuck threads that block a thread: those that hold what it waits for; if it waits for a
  /// signal, also those that it has started or whose blocks it has enqueued.
  private static func keepers(of thread: Int, _ liveness: Liveness) -> [Keeper] {
    let index = liveness.index
    guard let wait = index.threads[thread].wait else { return [] }
    var gates = Ring.gates(of: thread, liveness, .semaphores)
    if wait.isForSignal {
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

  /// The first of the threads that block a thread.
  func keeper(of thread: Int) -> Keeper? { keepers[thread]?.first }

  /// The threads that wait for some threads, directly or through others, with the gate of the next
  /// one in the chain: the farthest first.
  func waiters(for threads: [Int]) -> [(thread: Int, keeper: Keeper)] {
    var seen = Set(threads)
    var found: [(thread: Int, keeper: Keeper)] = []
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
  /// The threads that wait for some threads, a line each, outermost first: the chain from the
  /// thread that joins the others to the wait that is the cause.
  func chainLines(to threads: [Int], _ chains: WaitChains) -> (lines: [String], members: Set<Int>) {
    let waiters = chains.waiters(for: threads)
    let lines = waiters.compactMap { line(of: $0.thread, keptBy: $0.keeper) }
    return (Self.limited(lines, "threads"), Set(waiters.map(\.thread)))
  }

  /// Why a thread waits, why the thread that blocks it waits, and so on; empty if no thread is
  /// known to block it.
  func chainLines(from first: Int, _ chains: WaitChains) -> [String] {
    var lines: [String] = []
    var seen: Set<Int> = []
    var thread = first
    while seen.insert(thread).inserted, let keeper = chains.keeper(of: thread) {
      if let line = line(of: thread, keptBy: keeper) { lines.append(line) }
      thread = keeper.thread
    }
    if !lines.isEmpty, chains.isInnermost(thread) { lines += waitLines([thread]) }
    return Self.limited(lines, "threads")
  }

  /// `thread 1 (main) waits for the group made at A.swift:3 at A.swift:9, which thread 7 is in`.
  private func line(of thread: Int, keptBy keeper: WaitChains.Keeper) -> String? {
    guard let wait = index.threads[thread].wait else { return nil }
    let next = index.threads[keeper.thread]
    let isChild = next.startedBy == index.threads[thread].id && next.runs.isEmpty
    let reason: String =
      if case .started = keeper.gate, isChild {
        "and has started \(words.thread(keeper.thread))"
      } else {
        self.reason(keeper.gate, wait, by: keeper.thread)
      }
    return "\(words.thread(thread)) \(words.waiting(wait))\(Wording.at(wait.place)), \(reason)"
  }
}
