extension Finder {
  /// Threads that wait for a lock whose owner did not release it. The owner has ended, is idle, or
  /// runs another block.
  func abandonedLock(_ chains: WaitChains) -> FoundCause? {
    guard let waiters = mostWaitedFor(liveness.stuck.filter(waitsForAbandonedLock)),
      let wait = index.threads[waiters[0]].wait
    else { return nil }
    let holders = index.leavers[wait.object] ?? index.holders[wait.object] ?? []
    let chain = chains.waiters(for: waiters)
    var result = FoundCause(
      .abandonedLock(
        wait.waited,
        by: index.leftLocks[wait.object].map { .ended($0.thread) }
          ?? .continued(index.parties(holders)),
        waiters: index.parties(waiters), chain: chain.map(blockedWait),
        others: others(than: Set(waiters + chain.map(\.thread)))),
      advice: .unlockOnEveryWayOut)
    result.markedThreads = Set(waiters + holders)
    result.markedObjects = [wait.object]
    return result
  }

  private func waitsForAbandonedLock(_ number: Int) -> Bool {
    guard let wait = index.threads[number].wait else { return false }
    if index.leftLocks[wait.object] != nil { return true }
    if wait.kind.isLock, index.leavers[wait.object] != nil { return true }
    guard wait.kind.isLock, let holders = index.holders[wait.object] else { return false }
    // An idle thread runs no code that could still unlock.
    return holders.allSatisfy {
      let holder = index.threads[$0]
      return holder.wait == nil && holder.elsewhere == .idle && holder.runs.isEmpty
    }
  }

  /// True if a thread waits for a lock that no thread, or only idle threads, are known to hold.
  func waitsForForgottenLock(_ number: Int) -> Bool {
    guard let wait = index.threads[number].wait, wait.kind.isLock else { return false }
    return (index.holders[wait.object] ?? []).allSatisfy { index.threads[$0].wait == nil }
  }

  /// The largest group of threads that wait for the same object; among groups of equal size, the
  /// group with the lowest thread number.
  func mostWaitedFor(_ waiters: [Int]) -> [Int]? {
    let byObject = Dictionary(grouping: waiters) { index.threads[$0].wait?.object ?? 0 }
    return byObject.values.min { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }
}
