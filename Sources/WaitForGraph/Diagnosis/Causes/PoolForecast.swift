/// What becomes of a dry pool of Dispatch's: how many threads it would take, and how many it may
/// have.
///
/// A pool's threads take what is queued in the order in which it was queued. While all of them
/// wait, the pool gets one thread more a second here, up to a number. Each new one takes the next
/// block. If that was enqueued from the line of the blocks that wait, it is taken for one of the
/// same, which waits too; any other is taken for one that runs and ends.
package struct PoolForecast: Sendable, Hashable, Codable {
  /// The most threads of Apple's pools: `bsd/pthread/workqueue_internal.h` in xnu. The plain ones,
  /// of all priorities together, have 64 on a machine of up to 12 processors, and 5 for each
  /// processor on a larger one.
  static let applePlain = 64
  static let appleOvercommit = 512

  /// How many threads the pool has.
  package let threads: Int
  /// How many it must have before a block begins that is waited for and does not wait as the others
  /// do.
  package let needed: Int
  /// How many it may have here, and on Apple's systems.
  let most: Int
  let mostOnApple: Int
  /// Whether that many are certainly needed: see `DryPool.isProvenToWait`.
  let isProven: Bool

  /// Whether the pool grows here as far as is needed, one thread a second.
  var completesHere: Bool { needed <= most }
  /// Whether the same program on one of Apple's systems has the threads that it needs.
  var completesOnApple: Bool { needed <= mostOnApple }
  /// Whether nothing is wrong with the program but that pools grow slowly here.
  package var isOnlySlow: Bool { completesHere && completesOnApple && most > threads }
  /// After how many seconds the pool has as many threads as are needed.
  var seconds: Int { max(0, needed - threads) }

  /// Returns `nil` for another kind of pool, and where it is not known which block is waited for,
  /// or where all that are queued wait too.
  init?(_ pool: DryPool, _ liveness: Liveness) {
    let index = liveness.index
    guard case .root(let root) = pool.kind, let wanted = pool.needed,
      !pool.isAlike(wanted.blocks, index)
    else { return nil }
    let isOvercommit = index.queueAt[root].map { index.queues[$0].isOvercommit } ?? false
    threads = pool.threadCount
    most = isOvercommit ? WaitIndex.largestPool : index.largestPlainPool
    mostOnApple = isOvercommit ? Self.appleOvercommit : Self.applePlain
    needed = threads + pool.alike(before: wanted.blocks.ahead, index) + 1
    isProven = pool.isProvenToWait(most: most, liveness)
  }
}

extension DryPool {
  /// How many blocks are queued before a position that are taken to wait as the pool's threads do.
  func alike(before position: Int, _ index: WaitIndex) -> Int {
    var count = 0
    for queue in queues {
      for blocks in index.queues[queue].blocks
      where blocks.ahead < position && isAlike(blocks, index) {
        count += min(blocks.count, position - blocks.ahead)
      }
    }
    return min(count, position)
  }

  /// Whether the pool can have as many threads as it may, and all of them wait in the end.
  ///
  /// Reduction leaves nothing that can go on: every thread of the process waits without a limit, no
  /// timer is set, all that runs code is seen. So the only thing that can happen is that the pool
  /// gets another thread, which takes the next block. A queued block may be anything, even the one
  /// that signals. Therefore only this is called proven:
  ///
  /// - All threads of the pool are in blocks of one place of one queue, of the same code (the
  ///   functions of the block, of the closure in it and of the closures which that has captured),
  ///   and wait at the same place. Blocks that are queued there with the same code are taken to do
  ///   the same. That is the one assumption, and the report states it.
  /// - They do not wait for anything that such a block could give. Either all call one queue that
  ///   only waits for a block of its own to begin: no call but that block's ends this. Or each
  ///   waits for an object of its own, made for this wait (waited for once, never signalled), and
  ///   has itself enqueued a block that has not begun. Blocks that were queued before that object
  ///   was made are not handed it; those of the same code make their own.
  /// - What is waited for begins after them. Blocks come to a root queue's threads in the order in
  ///   which they come to the root queue, which is the order of the calls (`ahead`) for a queue
  ///   that was never held back. Then it is enough that more threads are needed than there may be.
  ///   A queue that was held back hands its blocks on while others come: some of what is waited for
  ///   may lie between them. Then objects of their own are asked for, all that is waited for now is
  ///   taken to have happened, which frees every thread that waits, and there must be twice as many
  ///   blocks of the same code as there may be threads: so that all threads end in those, even if
  ///   what half of them wait for lay in between.
  ///
  /// Where one of these does not hold, the stall window decides.
  fileprivate func isProvenToWait(most: Int, _ liveness: Liveness) -> Bool {
    let index = liveness.index
    guard case .root(let root) = kind, let needed, needed.isOwn,
      // With less hope, a timer might be set.
      liveness.hope == .noGrowth, !liveness.isAnybodyLive,
      workers.count == threadCount, workers.count > 1, needed.waiters == workers,
      let first = index.threads[workers[0]].runs.first, first.code != 0, !first.isBarrier,
      let wait = index.threads[workers[0]].wait, let number = index.queueAt[first.queue],
      isPlain(number, over: root, index),
      workers.allSatisfy({ worker in
        let run = index.threads[worker].runs.first
        return run?.code == first.code && run?.place == first.place && run?.queue == first.queue
          && index.threads[worker].wait?.kind == wait.kind
          && index.threads[worker].wait?.place == wait.place
      })
    else { return false }
    let areOwn = waitForOwnObjects(index)
    guard areOwn || waitForOneQueue(needed.queue, index) else { return false }
    let position =
      waited(for: workers, index).filter { !isAlike($0.blocks, index) }
      .map { earliest($0, over: root, index) }.min() ?? 0
    if index.queues[number].keepsOrder,
      threadCount + alike(before: position, index) + 1 > most
    {
      return true
    }
    let queued = index.queues[number].blocks.reduce(0) {
      $0 + ($1.code == first.code && $1.place == first.place ? $1.count : 0)
    }
    return areOwn && queued >= 2 * most
  }

  /// Whether a queue hands its blocks straight on to a pool, as many at once as there are threads.
  private func isPlain(_ number: Int, over root: WaitIndex.ObjectID, _ index: WaitIndex) -> Bool {
    let queue = index.queues[number]
    guard !queue.isSuspended, !queue.blocks.contains(where: \.isBarrier) else { return false }
    // Beyond its width a concurrent queue keeps blocks back.
    return queue.id == root || (queue.width > queue.queued + threadCount && queue.target == root)
  }

  /// Whether each thread waits for an object that was made for this wait.
  private func waitForOwnObjects(_ index: WaitIndex) -> Bool {
    var seen: Set<WaitIndex.ObjectID> = []
    return workers.allSatisfy { worker in
      guard let wait = index.threads[worker].wait, wait.kind == .semaphore || wait.kind == .group,
        seen.insert(wait.object).inserted, let signal = index.signals[wait.object]
      else { return false }
      return signal.waits == 1 && signal.releases == 0 && !signal.created.isEmpty
    }
  }

  /// Whether all threads call one queue that can only wait for its blocks.
  private func waitForOneQueue(_ number: Int, _ index: WaitIndex) -> Bool {
    let queue = index.queues[number]
    return !queue.isSuspended && index.occupants[queue.id] == nil
      && workers.allSatisfy { worker in
        index.threads[worker].wait?.kind == .queue && index.threads[worker].wait?.object == queue.id
      }
  }

  /// Behind how many blocks a block begins at least: a queue that does not hand its blocks straight
  /// on comes to the pool with the first that is queued on it, or on another queue that has a
  /// target in common with it.
  private func earliest(
    _ waited: Waited, over root: WaitIndex.ObjectID, _ index: WaitIndex
  ) -> Int {
    if isPlain(waited.queue, over: root, index), index.queues[waited.queue].keepsOrder {
      return waited.blocks.ahead
    }
    let chain = index.chains[waited.queue].dropLast()
    return queues.filter { !Set(index.chains[$0]).isDisjoint(with: chain) }
      .compactMap { index.queues[$0].blocks.first?.ahead }.min() ?? 0
  }
}
