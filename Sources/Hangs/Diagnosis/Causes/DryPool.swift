/// A pool whose threads all wait, with queued blocks that cannot begin.
struct DryPool {
  typealias Kind = Diagnosis.Starvation.Pool

  /// Blocks that a stuck thread has enqueued and that cannot begin. The thread probably waits for
  /// them.
  struct Needed {
    var queue: Int
    /// The first of these blocks.
    var blocks: WaitSnapshot.QueuedBlocks
    /// The threads that enqueued such blocks, ascending, and whether they belong to the pool.
    var waiters: [Int]
    var isOwn: Bool
  }

  let kind: Kind
  /// The pool's waiting threads, ascending.
  let workers: [Int]
  /// The number of the pool's threads that run or wait.
  let threadCount: Int
  /// The queues whose blocks cannot begin without the pool, the longest first.
  let queues: [Int]
  /// The number of blocks on these queues, plus waiting synchronous calls.
  let queued: Int
  /// The first of the needed blocks; `nil` if the needed blocks are unknown.
  private(set) var needed: Needed?

  /// The dry pools of a snapshot; the pool that explains the most waits comes first.
  static func all(_ liveness: Liveness) -> [DryPool] {
    let index = liveness.index
    var queues: [Kind: [Int]] = [:]
    for number in index.queues.indices where !liveness.canBegin(blocksOn: number) {
      if let kind = kind(for: number, liveness) { queues[kind, default: []].append(number) }
    }
    // Synchronous calls on the main queue need the main thread too.
    if let main = index.mainThread, WaitIndex.contains(main, in: liveness.stuck),
      queues[.main] == nil, !callsOnMain(liveness).isEmpty
    {
      queues[.main] = []
    }
    return queues.map { DryPool($0.key, $0.value, liveness) }.filter { !$0.workers.isEmpty }
      .sorted { $0.rank.lexicographicallyPrecedes($1.rank) }
  }

  private static func callsOnMain(_ liveness: Liveness) -> [Int] {
    let index = liveness.index
    return liveness.stuck.filter { number in
      guard let wait = index.threads[number].wait, wait.kind == .queue, !wait.isApply,
        let queue = index.queueAt[wait.object]
      else { return false }
      return index.isMain(queue)
    }
  }

  /// The pool that a queue's blocks need before they can begin.
  private static func kind(for number: Int, _ liveness: Liveness) -> Kind? {
    let index = liveness.index
    if index.chains[number].contains(where: { index.queues[$0].isSuspended }) { return nil }
    var serial: Kind?
    var pool: Kind?
    for need in index.needs(ofBlocksOn: number) where !liveness.isMet(need) {
      switch need {
      case .all(.main, _): return .main
      case .one(.jobs(let queue), _): return .tasks(queue)
      case .pool(let root): pool = .root(root)
      case .all(.queue(let queue), _), .all(.runners(let queue), _):
        serial = serial ?? .queue(queue)
      default: break
      }
    }
    return pool ?? serial
  }

  private init(_ kind: Kind, _ queues: [Int], _ liveness: Liveness) {
    let index = liveness.index
    self.kind = kind
    self.queues = queues.sorted {
      (-index.queues[$0].queued, $0) < (-index.queues[$1].queued, $1)
    }
    var queued = queues.reduce(0) { $0 + index.queues[$1].queued }
    let all: [Int]
    switch kind {
    case .root(let root): all = index.busyWorkers(of: root)
    case .tasks(let queue): all = index.jobRunners[queue] ?? []
    case .main:
      all = index.mainThread.map { [$0] } ?? []
      queued += Self.callsOnMain(liveness).count
    case .queue(let queue):
      let isSerial = index.queueAt[queue].map { index.queues[$0].width == 1 } ?? true
      all = (isSerial ? index.occupants[queue] : index.runners[queue]) ?? []
    }
    self.queued = queued
    threadCount = all.count
    workers = all.filter { WaitIndex.contains($0, in: liveness.stuck) }
    needed = neededBlocks(liveness)
  }

  /// The first block that one of the pool's waiting threads has enqueued or waits behind; otherwise
  /// the first that any stuck thread has enqueued. Blocks with different code from the waiting
  /// threads' blocks are preferred.
  private func neededBlocks(_ liveness: Liveness) -> Needed? {
    let index = liveness.index
    let others = liveness.stuck.filter { !WaitIndex.contains($0, in: workers) }
    let found = [workers, others].map { waited(for: $0, index) }
    for isAlike in [false, true] {
      for waited in found {
        let wanted = waited.filter { self.isAlike($0.blocks, index) == isAlike }
        guard
          let first = wanted.min(by: { ($0.blocks.ahead, $0.queue) < ($1.blocks.ahead, $1.queue) })
        else { continue }
        return Needed(
          queue: first.queue, blocks: first.blocks,
          waiters: Set(wanted.flatMap(\.waiters)).sorted(),
          isOwn: WaitIndex.contains(first.waiters[0], in: workers))
      }
    }
    return nil
  }

  typealias Waited = (queue: Int, blocks: WaitSnapshot.QueuedBlocks, waiters: [Int])

  /// The queued blocks that threads probably wait for. For a thread that waits for a signal, these
  /// are the blocks that it has enqueued; for a thread that calls a queue which needs this pool,
  /// the queue's blocks.
  func waited(for threads: [Int], _ index: WaitIndex) -> [Waited] {
    let signalled = threads.filter { index.threads[$0].wait?.kind.isSignal ?? false }
    let numbers = Dictionary(uniqueKeysWithValues: signalled.map { (index.threads[$0].id, $0) })
    var callers: [WaitIndex.ObjectID: [Int]] = [:]
    if case .root = kind {
      for thread in threads {
        guard let wait = index.threads[thread].wait, wait.kind == .queue, !wait.isApply else {
          continue
        }
        callers[wait.object, default: []].append(thread)
      }
    }
    return queues.flatMap { queue -> [Waited] in
      var found = index.queues[queue].blocks.compactMap { blocks -> Waited? in
        let waiters = blocks.enqueuedBy.compactMap { numbers[$0] }
        return waiters.isEmpty ? nil : (queue, blocks, waiters.sorted())
      }
      if let waiters = callers[index.queues[queue].id], let first = index.queues[queue].blocks.first
      {
        found.append((queue, first, waiters))
      }
      return found
    }
  }

  /// True if queued blocks come from the same line as the blocks in which the pool's threads wait,
  /// and their code is not known to differ.
  func isAlike(_ blocks: WaitSnapshot.QueuedBlocks, _ index: WaitIndex) -> Bool {
    guard !blocks.place.isEmpty else { return false }
    return workers.contains { worker in
      guard let run = index.threads[worker].runs.first else { return false }
      return run.place == blocks.place && (run.code == blocks.code || run.code == 0)
    }
  }

  /// True if a thread of the pool is known to wait for a block queued behind it, or if only the
  /// pool's own threads can exhaust it.
  var isCertain: Bool {
    if case .queue = kind { return needed != nil }
    return true
  }

  private var rank: [UInt] {
    let order: (UInt, UInt) =
      switch kind {
      case .root(let root): (0, root)
      case .tasks(let queue): (0, queue)
      case .main: (1, 0)
      case .queue(let queue): (2, queue)
      }
    return [needed == nil ? 1 : 0, order.0, UInt.max - UInt(max(0, queued)), order.1]
  }
}
