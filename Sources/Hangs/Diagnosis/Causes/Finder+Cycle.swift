extension Finder {
  /// A cycle of threads. Cycles through resources that only their holder releases come first.
  var cycle: FoundCause? {
    for kinds in [WaitCycle.Links.exclusive, .semaphores, .enqueued] {
      if let ring = WaitCycle(among: liveness, by: kinds) { return finding(of: ring) }
    }
    return nil
  }

  /// A cycle that includes a started thread: a thread holds an object and waits for a signal, and a
  /// thread that it started waits for the object. The started thread may not be the one that
  /// signals.
  var cycleOfStarted: FoundCause? {
    guard let ring = WaitCycle(among: liveness, by: .started) else { return nil }
    var result = finding(of: ring)
    result.advice = .holdNothing
    return result
  }

  /// Lock order is only advice for cycles with two acquired objects. An initialiser is not
  /// acquired: the first thread to use the variable runs its initialiser.
  private func advice(for links: [WaitCycle.Link]) -> Diagnosis.Advice {
    if links.allSatisfy({ index.isTask($0.thread) }) { return .awaitInOneDirection }
    if links.contains(where: { index.threads[$0.thread].wait?.kind == .initializer }) {
      return .useNotInInitializer
    }
    let gates = links.map(\.gate)
    return gates.allSatisfy(\.isAcquired) && Set(gates).count > 1
      ? .acquireInOneOrder : .holdNothing
  }

  private func finding(of ring: WaitCycle) -> FoundCause {
    let links = ring.links
    let threads = Set(links.map(\.thread))
    let waits = zip(links, links.dropFirst() + links.prefix(1)).map { link, next in
      Diagnosis.BlockedWait(
        index.party(link.thread), link.gate, by: index.party(next.thread))
    }
    var result = FoundCause(
      .cycle(waits, others: others(than: threads)), advice: advice(for: links))
    result.markedThreads = threads
    for link in links {
      if let object = link.gate.object { result.markedObjects.insert(object) }
      if let wait = index.threads[link.thread].wait { result.markedObjects.insert(wait.object) }
    }
    return result
  }
}

extension Diagnosis.Gate {
  /// True if a thread that passes this gate holds an object afterwards.
  fileprivate var isAcquired: Bool {
    switch self {
    case .lock, .writers, .readersAndWriters, .writeWaiters, .queue, .runners, .barrierWaiters,
      .main, .semaphore:
      true
    case .apply, .jobs, .end, .workItem, .members, .children, .started: false
    }
  }
}
