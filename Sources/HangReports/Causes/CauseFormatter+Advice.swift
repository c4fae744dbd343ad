import Interlock
import Hangs

extension CauseFormatter {
  /// A change that ends the hang, and the condition under which the code is safe; may be empty.
  var advice: [String] {
    guard let advice = diagnosis.advice.flatMap(following) else { return [] }
    if case .starvation(let pool) = diagnosis.evidence { return remedy(pool) + [Self.text(advice)] }
    return [Self.text(advice)]
  }

  /// The advice if it follows from the functions on the stacks; `nil` otherwise.
  private func following(_ advice: Diagnosis.Advice) -> Diagnosis.Advice? {
    switch (advice, diagnosis.evidence) {
    case (.acquireNotAgain, .selfWait(let party, _, let object)):
      guard let thread = thread(party), let wait = thread.wait,
        let held = thread.held.last(where: { $0.object == object.id }),
        let taken = Self.function(held.place), let again = Self.function(wait.place)
      else { return nil }
      if held.kind != wait.kind { return advice }
      if taken == again {
        let (first, second) = (PlaceText.frame(of: held.place), PlaceText.frame(of: wait.place))
        guard first?.line == second?.line, !thread.stack.isEmpty else { return nil }
        // The function is on the stack twice: a callback under the lock has called it again.
        if thread.stack.filter({ CallSite.Function($0) == taken }).count > 1 { return advice }
        // The same line runs again, in a loop or in the next call, without an unlock in between. A
        // semaphore is no lock here: blocks that it limits signal it from elsewhere.
        return held.kind == .semaphore ? nil : .unlockOnEveryWayOut
      }
      let callers = (wait.place + thread.stack).map { CallSite.Function($0) }
      if callers.contains(taken) { return advice }
      // The stack lacks the function that acquired the lock, so that function has returned.
      return thread.stack.isEmpty ? nil : .unlockOnEveryWayOut
    case (.leaveOnEveryWayOut, .lostSignal(let object, let waiters, _, _, _)):
      // A block may leave the group when it ends.
      if waiters.contains(where: { thread($0)?.runs.isEmpty == false }) { return nil }
      // The waiting function has entered the group itself, and no code has left the group yet: the
      // function may be meant to leave after the wait.
      guard let signal = index.signals[object.id], signal.releases == 0,
        let wait = waiters.first.flatMap(wait), let waits = Self.function(wait.place)
      else { return advice }
      return signal.enterPlaces.contains { Self.function([$0]) == waits } ? nil : advice
    case (.unlockOnEveryWayOut, .lostSignal(let object, _, _, _, _)):
      // A lock without a recorded creation may be the runtime's lock of an initialiser.
      return index.signals[object.id] == nil ? nil : advice
    case (.signalOnEveryWayOut, .lostSignal(let object, let waiters, _, _, _)),
      (.checkUnderMutex, .lostSignal(let object, let waiters, _, _, _)):
      // The end of an operation signals, but the operation may not have begun.
      let stacks = waiters.compactMap { thread($0)?.stack }.joined()
      let mayBeOperations =
        object.kind == .condition && stacks.isEmpty && advice == .signalOnEveryWayOut
      return mayBeOperations || stacks.contains(where: \.waitsForOperations) ? nil : advice
    default: return advice
    }
  }

  private static func function(_ place: [StackFrame]) -> CallSite.Function? {
    PlaceText.frame(of: place).flatMap { $0.function == nil ? nil : CallSite.Function($0) }
  }

  private static func text(_ advice: Diagnosis.Advice) -> String {
    "safe when: " + condition(advice)
  }

  private static func condition(_ advice: Diagnosis.Advice) -> String {
    switch advice {
    case .acquireInOneOrder:
      "all threads acquire them in one order, or hold none while they wait"
    case .unlockOnEveryWayOut:
      "the code that locks it unlocks it on every path, on the same thread"
    case .acquireNotAgain: "code that holds the lock calls no function that acquires it"
    case .useNotInInitializer:
      "an initialiser neither calls nor waits for code that uses its own variable"
    case .holdNothing: "a thread that waits for another holds nothing that the other needs"
    case .signalOnEveryWayOut: "the code that has to signal does so on every path"
    case .signalForEachWait: "the semaphore is signalled once for each wait"
    case .leaveOnEveryWayOut: "the code that entered the group leaves it on every path"
    case .checkUnderMutex:
      "the waiter checks its condition under the mutex, and a thread that changes the condition "
        + "then wakes every waiter"
    case .waitOutside: "the waiting thread is not one of the threads it waits for"
    case .awaitInOneDirection:
      "a task waits for no task that waits for it, directly or through others"
    case .awaitOnActor: "code on an actor awaits, and does not block its thread"
    case .resumeOnEveryWayOut:
      "the code that has the continuation resumes it once on every path"
    case .finishOnEveryWayOut:
      "the code that yields to the stream finishes it on every path"
    case .callDirectly:
      "code that is on the queue already calls the work directly, not with sync"
    case .resumeQueue:
      "every suspend() is followed by a resume() that does not depend on the queue"
    case .needOneThread:
      "a block waits for nothing that needs another thread of its own pool"
    case .awaitInTask:
      "a task does not block its thread to wait for another task, but awaits it"
    case .keepMainThreadFree: "the main thread does not wait for work that needs the main queue"
    case .waitForNoLaterBlock: "a block does not wait for a later one of its own queue"
    case .waitForNothingBehindBarrier:
      "no block on the queue waits for a later barrier of it, or for a block behind one"
    }
  }

  /// A change that ends the starvation of a pool, or why more threads do not, here and on Apple's
  /// systems.
  private func remedy(_ pool: Diagnosis.Starvation) -> [String] {
    switch pool.pool {
    case .root: return moreThreads(pool)
    case .tasks:
      return [
        "the pool never grows: it has one thread for each processor (\(pool.mostThreads) for a "
          + "priority), on Linux and on Apple's systems"
      ]
    case .main: return ["more threads will not help: the main queue always has exactly one"]
    case .queue(let queue):
      let name = names.queue(queue)
      return diagnosis.advice == .waitForNothingBehindBarrier
        ? ["more threads will not help: a barrier runs alone on \(name)"]
        : ["more threads will not help: \(name) runs one block at a time"]
    }
  }

  private func moreThreads(_ pool: Diagnosis.Starvation) -> [String] {
    let size = "(this pool: \(pool.threads) now, \(pool.mostThreads) at most)"
    guard let forecast = pool.forecast else {
      return [
        "more threads may free it, if a queued block ends the wait \(size)",
        pool.grows
          ? "here: the pool gets one more thread a second while all its threads wait"
          : "here: the pool does not grow any more",
      ]
    }
    if let queue = forecast.closedQueue {
      let name = names.queue(queue)
      return [
        "more threads will not help: a barrier of \(name) begins after the blocks that wait"
      ]
    }
    let ahead = forecast.needed - forecast.threads - 1
    let blocks =
      "\(Counted.noun(ahead, "block")) that \(ahead == 1 ? "waits" : "wait") too"
      + " \(ahead == 1 ? "is" : "are") queued first"
    let more =
      ahead > 0
      ? "\(Counted.noun(forecast.needed, "thread")), because \(blocks)" : "one more thread"
    return ["frees it from here: \(more) \(size)", Self.outlook(forecast)]
  }

  /// `completes here after about 6 s, and within Apple's limit of 64 threads`.
  private static func outlook(_ forecast: PoolForecast) -> String {
    let seconds = Counted.number(forecast.seconds)
    let limit = "Apple's limit of \(forecast.mostOnApple) threads"
    switch (forecast.completesHere, forecast.completesOnApple) {
    case (true, true): return "completes here after about \(seconds) s, and within \(limit)"
    case (true, false): return "completes here after about \(seconds) s, never within \(limit)"
    case (false, true): return "never completes here, but within \(limit)"
    case (false, false): return "never completes here, nor within \(limit)"
    }
  }
}

extension StackFrame {
  /// True for the functions of Foundation that wait for operations to end.
  fileprivate var waitsForOperations: Bool {
    ["Operation.waitUntilFinished()", "OperationQueue.waitUntilAllOperationsAreFinished()"]
      .contains(function)
  }
}
