extension Finder {
  /// A thread that waits for a signal on an actor, while a task waits to enter the actor and no
  /// other thread can send the signal.
  var blockedActor: FoundCause? {
    guard !liveness.isAnythingLive else { return nil }
    for thread in liveness.stuck {
      guard let wait = index.threads[thread].wait, wait.kind.isSignal,
        let actor = index.threads[thread].held.last(where: { $0.kind == .actor })?.object
      else { continue }
      let entering = liveness.stuck.filter {
        index.threads[$0].wait?.kind == .actor && index.threads[$0].wait?.object == actor
      }
      guard !entering.isEmpty else { continue }
      var result = FoundCause(
        .blockedActor(
          actor, holder: index.party(thread), signal: wait.waited,
          entering: index.parties(entering), others: others(than: Set(entering + [thread]))),
        advice: .awaitOnActor)
      result.markedThreads = Set(entering + [thread])
      result.markedObjects = [wait.object, actor]
      return result
    }
    return nil
  }
}
