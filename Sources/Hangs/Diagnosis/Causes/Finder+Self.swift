extension Finder {
  /// A synchronous call on a queue that the thread already runs on, reported before it traps or
  /// hangs.
  static func ownCall(_ own: WaitSnapshot.SelfWait, _ index: WaitIndex) -> FoundCause {
    var result = FoundCause(
      .ownCall(
        thread: own.thread, Diagnosis.Object(own.kind, own.object), traps: own.traps),
      advice: own.kind == .queue ? .callDirectly : advice(forLock: own.kind))
    if let number = index.threadAt[own.thread] { result.markedThreads = [number] }
    result.markedObjects = [own.object]
    return result
  }

  /// A thread that waits for an object that it holds itself.
  var selfWait: FoundCause? {
    for thread in liveness.stuck {
      let gates = WaitCycle.gates(of: thread, liveness, .semaphores)
      guard let gate = gates.first(where: { WaitIndex.contains(thread, in: $0.1) })?.0,
        let wait = index.threads[thread].wait
      else { continue }
      var result = FoundCause(
        .selfWait(index.party(thread), gate, wait.waited), advice: advice(for: gate, wait.kind))
      result.markedThreads = [thread]
      result.markedObjects = [wait.object]
      return result
    }
    return nil
  }

  private func advice(
    for gate: Diagnosis.Gate, _ kind: WaitSnapshot.ObjectKind
  ) -> Diagnosis.Advice? {
    switch gate {
    case .queue, .runners, .main: .callDirectly
    case .workItem, .members: .waitOutside
    case .end: nil
    default: Self.advice(forLock: kind)
    }
  }

  private static func advice(forLock kind: WaitSnapshot.ObjectKind) -> Diagnosis.Advice {
    kind == .initializer ? .useNotInInitializer : .acquireNotAgain
  }
}
