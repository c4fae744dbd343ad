extension Finder {
  /// A cycle of threads. Cycles through resources that only their holder releases come first.
  var cycle: FoundCause? {
    for kinds in [WaitCycle.Links.exclusive, .semaphores, .enqueued] {
      if let ring = WaitCycle(among: liveness, by: kinds) { return finding(of: ring) }
    }
    return nil
  }

  /// A cycle in which a thread waits for a signal and holds an object that a thread which it has
  /// started waits for. It is not known that the started thread would signal.
  var cycleOfStarted: FoundCause? {
    guard let ring = WaitCycle(among: liveness, by: .started) else { return nil }
    var result = finding(of: ring)
    result.advice = .holdNothing
    return result
  }

  /// An order needs two objects that threads acquire. An initialiser has none: a thread that
  /// acquires its variable first runs it, and waits for itself.
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
  /// Whether a thread at this gate would hold something once it has passed.
  fileprivate var isAcquired: Bool {
    switch self {
    case .lock, .writers, .readersAndWriters, .writeWaiters, .queue, .runners, .barrierWaiters,
      .main, .semaphore:
      true
    case .apply, .jobs, .end, .workItem, .members, .children, .started: false
    }
  }
}
