extension Diagnosis {
  /// Finds why a process hangs; `nil` if no thread is stuck.
  ///
  /// A pure function: equal snapshots give equal diagnoses, regardless of the order of their
  /// threads and queues. It takes time linear in the number of threads, runs and queued places.
  ///
  /// A cause that is not certain is the most likely one.
  ///
  /// - Parameter snapshot: The process. Its frames need no symbols.
  package init?(of snapshot: WaitSnapshot) {
    let index = WaitIndex(snapshot)
    if let own = snapshot.selfWait {
      self.init(Finder.ownCall(own, index), Finder(index, hope: .all))
      return
    }
    for hope in Liveness.Hope.allCases {
      let finder = Finder(index, hope: hope)
      if let finding = finder.cause {
        self.init(finding, finder)
        return
      }
    }
    return nil
  }

  private init(_ finding: FoundCause, _ finder: Finder) {
    let graph = GraphBuilder(finder.index, finding).graph
    self.init(
      evidence: finding.evidence, certainty: finder.certainty(of: finding),
      advice: finding.advice, nodes: graph.nodes, edges: graph.edges)
  }
}

extension Finder {
  /// The cause that explains the most waits. A wait that certainly cannot end takes precedence over
  /// a wait that a thread might still end.
  fileprivate var cause: FoundCause? {
    if let ring = selfWait ?? cycle { return ring }
    guard liveness.stuck.contains(where: { !index.isTask($0) }) else { return causeWithoutThreads }
    let chains = WaitChains(liveness)
    return suspendedHolder ?? abandonedLock(chains) ?? blockedActor ?? starvation(isCertain: true)
      ?? suspendedQueue
      ?? suspendedTask(.continuation) ?? starvation(isCertain: false) ?? signalCycle
      ?? cycleOfStarted ?? lostWakeUp(chains) ?? unknown
  }

  /// The cause if no thread waits for an object: tasks or blocks that no thread can wake any more.
  private var causeWithoutThreads: FoundCause? {
    // A process that only waits for its timer does not hang.
    guard liveness.hope != .none else { return nil }
    if let found = suspendedQueue { return found }
    if var found = suspendedTask(.continuation) ?? suspendedTask(.stream) {
      found.mayBeAtRest = index.snapshot.mayRest
      return found
    }
    let asleep = index.threads.indices.filter {
      index.threads[$0].wait == nil && index.threads[$0].elsewhere == .unknown
    }
    guard !liveness.isAnythingLive, !asleep.isEmpty else {
      return liveness.isAnythingLive || liveness.stuck.isEmpty ? nil : unknown
    }
    var result = FoundCause(.asleep(index.parties(asleep)))
    result.markedThreads = Set(asleep)
    return result
  }

  private var unknown: FoundCause {
    var result = FoundCause(.stuck(index.parties(liveness.stuck)))
    result.markedThreads = Set(liveness.stuck)
    return result
  }

  /// The certainty of a finding; if it is not certain, the reason.
  fileprivate func certainty(of finding: FoundCause) -> Diagnosis.Certainty {
    if case .starvation(let pool) = finding.evidence, pool.forecast?.isProven ?? false {
      return .certainIfBlocksAreAlike
    }
    if finding.mayBeAtRest { return .doubtful(.mayListen) }
    switch liveness.hope {
    case .all: return finding.evidence.cause == .unknown ? .doubtful(.unknownCause) : .certain
    case .noGrowth: return .doubtful(.poolGrows)
    case .none: return .doubtful(Liveness.isTimerSet(index) ? .timerIsSet : .unseenCode)
    }
  }
}
