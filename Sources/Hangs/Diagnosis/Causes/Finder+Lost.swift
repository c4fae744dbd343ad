extension Finder {
  /// Threads that wait for a signal that no thread can send. Threads that no other stuck thread
  /// blocks are preferred.
  func lostWakeUp(_ chains: WaitChains) -> FoundCause? {
    let waiters = liveness.stuck.filter {
      index.threads[$0].wait?.kind.isSignal ?? false || waitsForForgottenLock($0)
    }
    let innermost = waiters.filter(chains.isInnermost)
    guard let first = mostWaitedFor(innermost.isEmpty ? waiters : innermost),
      let wait = index.threads[first[0]].wait
    else { return nil }
    let chain = chains.waiters(for: first)
    var result = FoundCause(
      .lostSignal(
        wait.waited, waiters: index.parties(first), chain: chain.map(blockedWait),
        // One of these tasks might have sent the signal.
        listeners: waitingTasks(.stream),
        others: others(than: Set(first + chain.map(\.thread)))),
      advice: advice(
        for: wait,
        isAlone: others(than: Set(first + chain.map(\.thread))).isEmpty
          && waitingTasks(.stream).isEmpty && liveness.hope != .none))
    result.markedThreads = Set(first)
    result.markedObjects = [wait.object]
    return result
  }

  /// The advice that follows from the signal's counts; `nil` if it is not known that a code path
  /// lacks the signal. Another stuck thread, a timer or unseen code may still have to signal.
  private func advice(for wait: WaitSnapshot.Wait, isAlone: Bool) -> Diagnosis.Advice? {
    let signal = index.signals[wait.object]
    let releases = signal?.releases ?? 0
    switch wait.kind {
    case .group: return isAlone ? .leaveOnEveryWayOut : nil
    case .condition where releases > 0 || signal == nil: return .checkUnderMutex
    case let kind where kind.isLock: return .unlockOnEveryWayOut
    case .semaphore where releases > 0: return .signalForEachWait
    default: return isAlone ? .signalOnEveryWayOut : nil
    }
  }
}
