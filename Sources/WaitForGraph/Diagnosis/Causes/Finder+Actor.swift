import Interlock

extension Finder {
  /// A thread that waits for a signal while it is on an actor, and a task that waits to enter that
  /// actor, with no other thread left to send the signal.
  var blockedActor: Finding? {
    guard !liveness.isAnythingLive else { return nil }
    for thread in liveness.stuck {
      guard let wait = index.threads[thread].wait, wait.isForSignal,
        let actor = index.threads[thread].held.last(where: { $0.kind == .actor })?.object
      else { continue }
      let waiting = liveness.stuck.filter {
        index.threads[$0].wait?.kind == .actor && index.threads[$0].wait?.object == actor
      }
      if let first = waiting.first { return finding(of: thread, wait, actor, waiting, first) }
    }
    return nil
  }

  private func finding(
    of thread: Int, _ wait: WaitSnapshot.Wait, _ actor: WaitIndex.ObjectID, _ waiting: [Int],
    _ first: Int
  ) -> Finding {
    let name = words.object(.actor, actor)
    let tasks =
      waiting.count == 1
      ? "\(words.thread(first)) waits" : "\(Counted.noun(waiting.count, "task")) wait"
    var result = finding(
      .cycle,
      "\(words.thread(thread)) is on \(name) and \(Wording.waiting(wait.kind)), "
        + "and \(tasks) to enter it")
    result.details = waitLines([thread]) + waitLines(waiting)
    result.details += waitLines(
      liveness.stuck.filter { $0 != thread && !WaitIndex.contains($0, in: waiting) })
    result.advice = ["safe when: code on an actor awaits, and does not block its thread"]
    result.markedThreads = Set(waiting + [thread])
    result.markedObjects = [wait.object, actor]
    return result
  }
}
