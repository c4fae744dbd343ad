extension Finder {
  /// A suspended queue that no thread can resume.
  var suspendedQueue: FoundCause? {
    guard !liveness.isAnythingLive else { return nil }
    let found = index.queues.indices.filter { number in
      let queue = index.queues[number]
      return queue.isSuspended && (queue.queued > 0 || index.queueWaiters[queue.id] != nil)
    }
    guard let first = found.max(by: { index.queues[$0].queued < index.queues[$1].queued }) else {
      return nil
    }
    let queue = index.queues[first]
    var result = FoundCause(
      .suspendedQueue(
        queue.id, queued: queue.queued, calls: index.queueWaiters[queue.id]?.count ?? 0,
        others: index.parties(liveness.stuck)),
      advice: .resumeQueue)
    result.markedObjects = [queue.id]
    return result
  }

  /// A task that waits for a continuation that was not resumed, or for a stream's next element,
  /// while no thread can run.
  ///
  /// A task may listen to a stream for the whole life of the process. If a thread waits too, the
  /// thread's wait is the better cause.
  func suspendedTask(_ kind: WaitSnapshot.ObjectKind) -> FoundCause? {
    guard !liveness.isAnythingLive, index.queues.allSatisfy({ $0.queued == 0 || $0.isSuspended })
    else { return nil }
    let found = waitingTasks(kind)
    guard !found.isEmpty else { return nil }
    var result = FoundCause(
      .suspendedTasks(kind, waitingFor: found, others: index.parties(liveness.stuck)),
      advice: kind == .stream ? .finishOnEveryWayOut : .resumeOnEveryWayOut)
    result.markedObjects = Set(found)
    return result
  }

  /// The signals of one kind that tasks wait for, ascending.
  func waitingTasks(_ kind: WaitSnapshot.ObjectKind) -> [WaitIndex.ObjectID] {
    index.snapshot.signals.filter { $0.isWaitingTask && $0.kind == kind }.map(\.id).sorted()
  }
}
