/// The number of threads that a dry pool of Dispatch would need, and the number that it may have.
///
/// A pool's threads take blocks in the order of their enqueuing. While all of them wait, the pool
/// gets one more thread a second here, up to a limit. Each new thread takes the next block. A block
/// that was enqueued from the line of the blocks that wait is assumed to wait too; any other is
/// assumed to end.
package struct PoolForecast: Sendable, Hashable, Codable {
  /// The most threads of Apple's pools: `bsd/pthread/workqueue_internal.h` in xnu. Plain pools of
  /// all priorities together have 64 threads on a machine with up to 12 processors, and 5 for each
  /// processor on a larger machine.
  static let applePlain = 64
  static let appleOvercommit = 512

  /// The number of the pool's threads.
  package let threads: Int
  /// The number of threads that the pool must have before a needed block begins, if that block does
  /// not wait like the others.
  package let needed: Int
  /// The most threads that the pool may have here, and on Apple's systems.
  let most: Int
  package let mostOnApple: Int
  /// The concurrent queue whose barrier keeps the needed block from beginning on any thread,
  /// because the barrier begins only after blocks of the queue that wait; `nil` if no barrier does.
  package let closedQueue: WaitSnapshot.ObjectID?
  /// True if `needed` threads are certainly needed: see `DryPool.isProvenToWait`.
  let isProven: Bool

  /// True if the pool grows far enough here, at one thread a second.
  package var completesHere: Bool { closedQueue == nil && needed <= most }
  /// True if the same program has the threads that it needs on Apple's systems.
  package var completesOnApple: Bool { closedQueue == nil && needed <= mostOnApple }
  /// True if the pool can grow to the needed size, here and on Apple's systems. The program is then
  /// slow, not stuck.
  package var isOnlySlow: Bool { completesHere && completesOnApple && most > threads }
  /// The seconds until the pool has enough threads.
  package var seconds: Int { max(0, needed - threads) }

  /// Returns `nil` for a pool other than a root queue, if the needed block is unknown, or if all
  /// queued blocks wait too.
  init?(_ pool: DryPool, _ liveness: Liveness) {
    let index = liveness.index
    guard case .root(let root) = pool.kind, let wanted = pool.needed,
      !pool.isAlike(wanted.blocks, index)
    else { return nil }
    threads = pool.threadCount
    most = index.mostThreads(ofPool: root)
    mostOnApple = index.isOvercommit(pool: root) ? Self.appleOvercommit : Self.applePlain
    needed = threads + pool.alike(before: wanted.blocks.ahead, index) + 1
    closedQueue = pool.closedQueue(wanted, index)
    isProven =
      pool.isProvenToWait(most: most, liveness) || pool.isSureToWait(most: most, liveness)
  }
}

extension DryPool {
  /// The queue of a needed block that is a barrier, or is queued behind one, while threads of the
  /// pool wait in blocks of that queue.
  fileprivate func closedQueue(_ wanted: Needed, _ index: WaitIndex) -> WaitIndex.ObjectID? {
    let queue = index.queues[wanted.queue]
    guard queue.width != 1,
      queue.blocks.contains(where: { $0.isBarrier && $0.ahead <= wanted.blocks.ahead }),
      let runners = index.runners[queue.id],
      runners.contains(where: { WaitIndex.contains($0, in: workers) })
    else { return nil }
    return queue.id
  }

  /// The number of blocks before a position in the queue that are assumed to wait like the pool's
  /// threads.
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

  /// The number of blocks before a position in the queue that wait like the pool's threads,
  /// counting each block whose code is uncertain as different.
  private func certainlyAlike(before position: Int, _ index: WaitIndex) -> Int {
    var others = 0
    for queue in queues {
      others += index.queues[queue].queued
      for blocks in index.queues[queue].blocks {
        let begin = max(0, min(blocks.count, position - blocks.ahead))
        others -= isAlike(blocks, index) ? blocks.count : blocks.count - begin
      }
    }
    return max(0, position - others)
  }

  /// True if all threads of the pool certainly wait even if the pool grows to its limit.
  ///
  /// After the reduction nothing can continue: every thread of the process waits without a time
  /// limit, no timer is set, and no code runs unseen. So the only possible event is that the pool
  /// gets another thread, which takes the next block. A queued block may do anything, even signal.
  /// The wait is therefore proven only if all of this holds:
  ///
  /// - All threads of the pool are in blocks from one place, of one queue and of the same code (the
  ///   functions of the block, of its closure and of the closures that it captured), and wait at
  ///   the same place. Blocks with the same code in that queue are assumed to do the same. This is
  ///   the only assumption, and the report states it.
  /// - No such block can end these waits. Either all threads call one queue, which only waits for a
  ///   block of its own to begin, and only that block ends the waits. Or each thread waits for an
  ///   object of its own, made for this wait (waited for once, never signalled), and has itself
  ///   enqueued a block that has not begun. Blocks that were queued before that object was made do
  ///   not refer to it; blocks of the same code make their own.
  /// - The needed blocks begin after them. Blocks reach a root queue's threads in the order in
  ///   which they reach the root queue, which is the order of the calls (`ahead`) for a queue that
  ///   was never suspended or blocked, and the order of libdispatch's own list for one that was,
  ///   if the snapshot could read it. It is then enough that the pool needs more threads than it
  ///   may have. If the list could not be read, needed blocks may lie between the others, because
  ///   a queue that was held back passes on its blocks while others arrive. Then each thread must
  ///   wait for an object of its own, and there must be twice as many blocks of the same code as
  ///   the pool may have threads: even if every current wait ended, and needed blocks for half of
  ///   the threads lay in between, all threads would run blocks that wait.
  ///
  /// If one of these does not hold, the stall window decides.
  fileprivate func isProvenToWait(most: Int, _ liveness: Liveness) -> Bool {
    let index = liveness.index
    guard case .root(let root) = kind, let needed, needed.isOwn,
      // Require `noGrowth`: under `none`, a timer might still be set.
      liveness.hope == .noGrowth, !liveness.isAnythingLive,
      workers.count == threadCount, workers.count > 1, needed.waiters == workers,
      let first = index.threads[workers[0]].runs.first, first.code != 0, !first.isBarrier,
      let wait = index.threads[workers[0]].wait, let number = index.queueAt[first.queue],
      isPlain(number, over: root, index),
      workers.allSatisfy({ worker in
        let run = index.threads[worker].runs.first
        return run?.code == first.code && run?.place == first.place && run?.queue == first.queue
          && index.threads[worker].wait?.kind == wait.kind
          && index.threads[worker].wait?.call == wait.call
      })
    else { return false }
    let areOwn = waitForOwnObjects(index)
    guard areOwn || waitForOneQueue(needed.queue, index) else { return false }
    let position =
      waited(for: workers, index).filter { !isAlike($0.blocks, index) }
      .map { earliest($0, over: root, index) }.min() ?? 0
    if index.queues[number].keepsOrder,
      threadCount + certainlyAlike(before: position, index) + 1 > most
    {
      return true
    }
    let queued = index.queues[number].blocks.reduce(0) {
      $0 + ($1.code == first.code && $1.place == first.place ? $1.count : 0)
    }
    return areOwn && queued >= 2 * most
  }

  /// True if all threads of the pool certainly wait even if the pool grows to its limit, because
  /// each block that it may still begin first waits for the one object for which they wait.
  ///
  /// As in `isProvenToWait`, only a new thread of the pool could change anything. The machine code
  /// of the blocks goes straight to the wait, and the queued closures have captured the same values
  /// (`sureWait`), so none of them signals before it waits. Without this condition, the last of
  /// several threads that meet may signal. Any other block may do anything, so it must not begin:
  /// either the pool has no thread left when its turn comes, or it is behind a barrier of the
  /// queue, which begins after the waiting blocks.
  fileprivate func isSureToWait(most: Int, _ liveness: Liveness) -> Bool {
    let index = liveness.index
    guard case .root(let root) = kind, liveness.hope == .noGrowth, !liveness.isAnythingLive,
      workers.count == threadCount, let one = workers.first,
      let first = index.threads[one].runs.first, first.sureWait != 0,
      let wait = index.threads[one].wait, wait.kind == .semaphore,
      let number = index.queueAt[first.queue],
      workers.allSatisfy({ worker in
        let thread = index.threads[worker]
        return thread.runs.count == 1 && thread.runs[0].sureWait == first.sureWait
          && thread.runs[0].queue == first.queue && !thread.runs[0].isBarrier
          && thread.wait?.object == wait.object && thread.wait?.kind == wait.kind
      }),
      queues.allSatisfy({ queue in
        // The snapshot lists all queued blocks.
        index.queues[queue].blocks.reduce(0) { $0 + $1.count } == index.queues[queue].queued
      })
    else { return false }
    func isSure(_ blocks: WaitSnapshot.QueuedBlocks) -> Bool {
      !blocks.isBarrier && blocks.sureWait == first.sureWait
    }
    let queue = index.queues[number]
    guard !queue.isSuspended, queue.id == root || queue.target == root else { return false }
    if queues == [number], let other = queue.blocks.first(where: { !isSure($0) }),
      other.isBarrier, queue.id != root
    {
      return true
    }
    guard isPlain(number, over: root, index), queue.keepsOrder else { return false }
    let others = queues.flatMap { queue in
      index.queues[queue].blocks.filter { queue != number || !isSure($0) }
        .map { earliest((queue, $0, []), over: root, index) }
    }
    return threadCount + (others.min() ?? 0) >= most
  }

  /// True if a queue passes its blocks directly to a pool, without a limit of its own.
  private func isPlain(_ number: Int, over root: WaitIndex.ObjectID, _ index: WaitIndex) -> Bool {
    let queue = index.queues[number]
    guard !queue.isSuspended, !queue.blocks.contains(where: \.isBarrier) else { return false }
    // A concurrent queue holds back blocks beyond its width.
    return queue.id == root || (queue.width > queue.queued + threadCount && queue.target == root)
  }

  /// True if each thread waits for an object that was created for this wait.
  private func waitForOwnObjects(_ index: WaitIndex) -> Bool {
    var seen: Set<WaitIndex.ObjectID> = []
    return workers.allSatisfy { worker in
      guard let wait = index.threads[worker].wait, wait.kind == .semaphore || wait.kind == .group,
        seen.insert(wait.object).inserted, let signal = index.signals[wait.object]
      else { return false }
      return signal.waits == 1 && signal.releases == 0 && !signal.created.isEmpty
    }
  }

  /// True if all threads call one queue that can only wait for its blocks.
  private func waitForOneQueue(_ number: Int, _ index: WaitIndex) -> Bool {
    let queue = index.queues[number]
    return !queue.isSuspended && index.occupants[queue.id] == nil
      && workers.allSatisfy { worker in
        index.threads[worker].wait?.kind == .queue && index.threads[worker].wait?.object == queue.id
      }
  }

  /// A lower bound for the number of blocks before a needed block begins. A queue that does not
  /// pass blocks directly to the pool may reach the pool with the first block on it, or on another
  /// queue with a common target.
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
