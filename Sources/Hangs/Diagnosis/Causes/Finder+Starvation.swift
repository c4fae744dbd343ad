extension Finder {
  /// A dry pool: the one that explains the most waits.
  ///
  /// - Parameter isCertain: True to count a serial queue only if a thread is known to wait for a
  ///   block behind it.
  /// - Returns: `nil` if no pool is dry.
  func starvation(isCertain: Bool) -> FoundCause? {
    let chains = WaitChains(liveness)
    // If no thread is known to wait for the queued blocks, and the pool's thread waits for an
    // object that another thread holds, the pool is not the cause.
    let pools = DryPool.all(liveness).filter {
      $0.isCertain || !isCertain && $0.workers.contains(where: chains.isInnermost)
    }
    guard let pool = pools.first else { return nil }
    var starvation = pool.evidence(index)
    if pool.workers.count == 1 {
      let chain = chains.chain(from: pool.workers[0])
      starvation.chain = chain.keepers.map(blockedWait)
      if !chain.keepers.isEmpty { starvation.innermost = chain.innermost.map(index.party) }
    }
    starvation.otherPools = pools.count - 1
    starvation.forecast = PoolForecast(pool, liveness)
    let isClosed = starvation.forecast?.closedQueue != nil
    var result = FoundCause(
      .starvation(starvation),
      advice: isClosed ? .waitForNothingBehindBarrier : pool.advice(index))
    result.markedThreads = Set(pool.workers)
    result.markedObjects = Set(starvation.queues)
    switch pool.kind {
    case .root(let id), .tasks(let id), .queue(let id): result.markedObjects.insert(id)
    case .main:
      for queue in index.queues where queue.isMain { result.markedObjects.insert(queue.id) }
    }
    return result
  }
}

extension DryPool {
  /// The most enqueuing threads that a snapshot lists for neighbouring blocks.
  private static let mostListed = 256

  /// The pool as evidence, without the other threads.
  fileprivate func evidence(_ index: WaitIndex) -> Diagnosis.Starvation {
    let mostThreads = mostThreads(index)
    return Diagnosis.Starvation(
      pool: kind, workers: index.parties(workers), threads: threadCount, mostThreads: mostThreads,
      grows: grows(upTo: mostThreads, index), queues: queues.map { index.queues[$0].id },
      queued: queued,
      needed: needed.map { needed in
        Diagnosis.Starvation.NeededBlocks(
          queue: index.queues[needed.queue].id, count: needed.blocks.count,
          ahead: needed.blocks.ahead, waiters: index.parties(needed.waiters),
          hasMoreWaiters: needed.blocks.enqueuedBy.count >= Self.mostListed, isOwn: needed.isOwn)
      })
  }

  /// The most threads that the pool may have.
  private func mostThreads(_ index: WaitIndex) -> Int {
    switch kind {
    case .root(let root): index.mostThreads(ofPool: root)
    case .tasks(let queue):
      index.queueAt[queue].map { index.taskWidth(of: $0) } ?? index.snapshot.processors
    case .main, .queue: 1
    }
  }

  private func grows(upTo most: Int, _ index: WaitIndex) -> Bool {
    guard case .root(let root) = kind else { return false }
    return !index.isOvercommit(pool: root) && threadCount < most
  }

  /// The change that would free the pool.
  fileprivate func advice(_ index: WaitIndex) -> Diagnosis.Advice {
    switch kind {
    case .root: .needOneThread
    case .tasks: .awaitInTask
    case .main: .keepMainThreadFree
    case .queue(let queue):
      index.queueAt[queue].map { index.queues[$0].width == 1 } ?? true
        ? .waitForNoLaterBlock : .waitForNothingBehindBarrier
    }
  }
}

extension WaitIndex {
  /// True if a pool may start with its maximum number of threads.
  func isOvercommit(pool root: ObjectID) -> Bool {
    queueAt[root].map { queues[$0].isOvercommit } ?? false
  }

  /// The most threads that a pool may have on this machine.
  func mostThreads(ofPool root: ObjectID) -> Int {
    isOvercommit(pool: root) ? Self.largestPool : largestPlainPool
  }
}
