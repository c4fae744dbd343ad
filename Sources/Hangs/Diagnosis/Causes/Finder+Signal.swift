extension Finder {
  /// A thread that waits for a signal while all threads that could still send it wait for objects
  /// that the first thread holds: Java's nested monitor lock-out, or a join under a lock that the
  /// joined thread needs.
  ///
  /// If no thread is live, the thread that could signal is one of the stuck threads. If the waiter
  /// blocks each of these, directly or through others, its wait closes a cycle, although it is not
  /// known which thread would signal. A thread that joins the others does not.
  var signalCycle: FoundCause? {
    // Each round of the search inspects every thread. A nested lock-out does not have a thousand
    // threads.
    guard !liveness.isAnythingLive, liveness.stuck.count <= 256 else { return nil }
    for waiter in liveness.stuck where index.threads[waiter].wait?.kind.isSignal ?? false {
      guard let keeper = keptBy(waiter), keeper.kept.count == liveness.stuck.count - 1,
        let direct = keeper.direct, let wait = index.threads[waiter].wait
      else { continue }
      var result = FoundCause(
        .signalCycle(
          waiter: index.party(waiter), signal: wait.waited, has: direct.object,
          blocked: index.parties(keeper.kept)),
        advice: .holdNothing)
      result.markedThreads = Set([waiter] + keeper.kept)
      result.markedObjects = [wait.object, direct.object]
      return result
    }
    return nil
  }

  /// The threads that `waiter` blocks, directly or through others, and the first lock or queue of
  /// `waiter` that one of them waits for.
  private func keptBy(
    _ waiter: Int
  ) -> (kept: [Int], direct: (thread: Int, object: WaitIndex.ObjectID)?)? {
    var kept: Set<Int> = [waiter]
    var direct: (thread: Int, object: WaitIndex.ObjectID)?
    var grows = true
    while grows {
      grows = false
      for thread in liveness.stuck where !kept.contains(thread) {
        let gates = WaitCycle.gates(of: thread, liveness, .semaphores)
        let gate = gates.first { !kept.isDisjoint(with: $0.1) }
        guard gate != nil || joins(thread, kept) else { continue }
        kept.insert(thread)
        grows = true
        if direct == nil, let gate, gate.1.contains(waiter), !gate.0.isJoin,
          let object = gate.0.object, !waitsAlike(thread, waiter, for: object)
        {
          direct = (thread, object)
        }
      }
    }
    kept.remove(waiter)
    return kept.isEmpty ? nil : (kept.sorted(), direct)
  }

  /// True if a thread waits for a signal, and all stuck threads that it has started are among
  /// `threads`. It probably waits for them to end.
  private func joins(_ thread: Int, _ threads: Set<Int>) -> Bool {
    guard index.threads[thread].wait?.kind.isSignal ?? false else { return false }
    let id = index.threads[thread].id
    let started = ((index.startedBy[id] ?? []) + (index.children[id] ?? [])).filter {
      $0 != thread && WaitIndex.contains($0, in: liveness.stuck)
    }
    return !started.isEmpty && started.allSatisfy(threads.contains)
  }

  /// True if a thread waits for a lock at the place where the other thread acquired the lock. After
  /// acquiring it, the thread would wait for the same signal rather than send it.
  private func waitsAlike(_ thread: Int, _ other: Int, for object: WaitIndex.ObjectID) -> Bool {
    guard let wait = index.threads[thread].wait, !wait.call.isEmpty else { return false }
    return index.threads[other].held.contains { $0.object == object && $0.call == wait.call }
  }
}

extension Finder {
  /// A suspended task that has left a lock locked. Other threads wait for the lock, and no thread
  /// is left that can resume the task.
  var suspendedHolder: FoundCause? {
    guard !liveness.isAnythingLive else { return nil }
    for held in index.heldByTasks {
      guard let task = held.leftBy, let signal = index.signals[task], signal.isWaitingTask else {
        continue
      }
      let waiters = liveness.stuck.filter {
        guard let wait = index.threads[$0].wait else { return false }
        return wait.kind.isLock && wait.object == held.object
      }
      guard !waiters.isEmpty else { continue }
      var result = FoundCause(
        .suspendedHolder(
          task, signal: Diagnosis.Object(signal.kind, task),
          has: Diagnosis.Object(held.kind, held.object), waiters: index.parties(waiters),
          others: others(than: Set(waiters))),
        advice: .holdNothing)
      result.markedThreads = Set(waiters)
      result.markedObjects = [held.object, task]
      return result
    }
    return nil
  }
}

extension Diagnosis.Gate {
  /// True if threads at this gate wait for other threads to end rather than for objects that these
  /// hold. A waiter blocks the thread that joins it, although another thread may signal.
  fileprivate var isJoin: Bool {
    switch self {
    case .end, .workItem, .members, .apply: true
    default: false
    }
  }
}
