import Interlock

extension Diagnosis {
  /// Finds why a process cannot go on; `nil` if no thread is stuck.
  ///
  /// A pure function: equal snapshots give equal diagnoses, in any order of their threads and
  /// queues. It takes time linear in the threads, runs and queued places.
  ///
  /// A cause that is not certain is the most likely one; the last of its details is the reason for
  /// the doubt.
  ///
  /// - Parameter snapshot: The process; its frames may have symbols or not.
  package init?(of snapshot: WaitSnapshot) {
    let index = WaitIndex(snapshot)
    if let own = snapshot.selfWait {
      let finder = Finder(index, hope: .all)
      self.init(Finder.ownCall(own, index), finder, isCertain: true)
      return
    }
    for hope in Liveness.Hope.allCases {
      let finder = Finder(index, hope: hope)
      if let finding = finder.cause {
        self.init(
          finding, finder,
          isCertain: finding.pool?.isProven ?? false
            || finder.isCertain && finding.cause != .unknown && !finding.mayBeAtRest)
        return
      }
    }
    return nil
  }

  private init(_ finding: Finding, _ finder: Finder, isCertain: Bool) {
    var details = Finder.limited(finding.details, "lines")
    if finding.mayBeAtRest {
      details.append("not certain: a process that only listens for more to do looks like this")
    } else if !isCertain, let doubt = finder.doubt {
      details.append(doubt)
    } else if finding.pool?.isProven ?? false {
      details.append("certain if the blocks of the same code, from the same line, wait as these do")
    }
    let graph = GraphBuilder(finder, finding).graph
    self.init(
      cause: finding.cause, isCertain: isCertain, headline: finding.headline, details: details,
      advice: finding.advice, nodes: graph.nodes, edges: graph.edges)
    pool = finding.pool
  }
}

extension Finder {
  /// The cause that explains most. A wait that certainly cannot end comes before one that a thread
  /// might still have ended.
  fileprivate var cause: Finding? {
    if let ring = selfWait ?? cycle { return ring }
    guard liveness.stuck.contains(where: { !index.isTask($0) }) else { return causeWithoutThreads }
    let chains = WaitChains(liveness)
    return abandonedLock(chains) ?? blockedActor ?? starvation(isTold: true) ?? suspendedQueue
      ?? suspendedTask(.continuation) ?? starvation(isTold: false) ?? signalCycle
      ?? lostWakeUp(chains) ?? unknown
  }

  /// The cause if no thread waits for an object: a task, or blocks, that no thread is left to wake.
  private var causeWithoutThreads: Finding? {
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
    var result = finding(
      .unknown,
      "\(Counted.noun(asleep.count, "thread")) \(asleep.count == 1 ? "sleeps" : "sleep"), "
        + "and it is not known for what")
    result.details = Self.limited(
      asleep.map { words.thread($0) + Wording.at(index.threads[$0].stack) }, "threads")
    result.markedThreads = Set(asleep)
    return result
  }

  private var unknown: Finding {
    let count = liveness.stuck.count
    var result = finding(
      .unknown, "\(words.count(liveness.stuck)) \(count == 1 ? "waits" : "wait") for ever")
    result.details = waitLines(liveness.stuck)
    result.markedThreads = Set(liveness.stuck)
    return result
  }
}
