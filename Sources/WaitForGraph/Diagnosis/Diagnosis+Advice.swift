extension Diagnosis {
  /// What would end a hang, and when the same code is safe.
  package enum Advice: Sendable, Hashable, Codable, CaseIterable {
    // Locks.

    /// All threads acquire the locks in one order, or wait for none while they hold one.
    case acquireInOneOrder
    /// Every way out of the code that locks also unlocks, on the same thread.
    case unlockOnEveryWayOut
    /// Code that holds the lock calls only what does not acquire it.
    case acquireNotAgain
    /// What an initialiser calls does not use the variable that it initializes.
    case useNotInInitializer
    /// A thread that waits for another holds nothing that the other needs.
    case holdNothing

    // Signals.

    /// Every way out of the work that is waited for signals.
    case signalOnEveryWayOut
    /// Every way out of the work that entered the group leaves it.
    case leaveOnEveryWayOut
    /// The waiter checks its condition under the mutex, and the signal follows the change.
    case checkUnderMutex
    /// The thread that waits is not one of those that it waits for.
    case waitOutside

    // Tasks.

    /// A task awaits no task that awaits it, directly or through others.
    case awaitInOneDirection
    /// Code on an actor awaits, and does not block its thread.
    case awaitOnActor
    /// Every way out of the code that was given the continuation resumes it once.
    case resumeOnEveryWayOut
    /// Every way out of the code that yields to the stream finishes it.
    case finishOnEveryWayOut

    // Queues and pools.

    /// Code that is on the queue calls the work directly, and not with `sync`.
    case callDirectly
    /// Every `suspend()` is followed by a `resume()` that needs nothing of the queue.
    case resumeQueue
    /// More threads of the pool, as far as it may grow; no synchronous call needs a second thread.
    case needOneThread
    /// Nothing frees a pool of tasks; a task awaits another, and does not block its thread.
    case awaitInTask
    /// Nothing frees the main queue; its thread does not wait for work that needs it.
    case keepMainThreadFree
    /// Nothing frees a serial queue; a block does not wait for a later one.
    case waitForNoLaterBlock
    /// Nothing frees a queue from a barrier; nothing on it waits for what is behind one.
    case waitForNothingBehindBarrier
  }
}
