extension Finder {
  /// Threads that wait for a signal that no thread can send; of several, those that no other
  /// stuck thread blocks.
  func lostWakeUp(_ chains: WaitChains) -> Finding? {
    let waiters = liveness.stuck.filter {
      index.threads[$0].wait?.kind.isSignal ?? false || waitsForForgottenLock($0)
    }
    let innermost = waiters.filter(chains.isInnermost)
    guard let first = mostWaitedFor(innermost.isEmpty ? waiters : innermost),
      let wait = index.threads[first[0]].wait
    else { return nil }
    let chain = chains.waiters(for: first)
    var result = Finding(
      .lostSignal(
        wait.waited, waiters: index.parties(first), chain: chain.map(blockedWait),
        // One of these tasks might have sent the signal.
        listeners: waitingTasks(.stream),
        others: others(than: Set(first + chain.map(\.thread)))),
      advice: advice(for: wait.kind))
    result.markedThreads = Set(first)
    result.markedObjects = [wait.object]
    return result
  }

  private func advice(for kind: WaitSnapshot.ObjectKind) -> Diagnosis.Advice {
    switch kind {
    case .group: .leaveOnEveryWayOut
    case .condition: .checkUnderMutex
    case _ where kind.isLock: .unlockOnEveryWayOut
    default: .signalOnEveryWayOut
    }
  }
}
