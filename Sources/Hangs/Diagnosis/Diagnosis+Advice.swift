extension Diagnosis {
  /// How the hang could end, and under what condition the same code is safe.
  package enum Advice: Sendable, Hashable, Codable, CaseIterable {
    // Locks.

    /// All threads acquire the locks in one order, or hold no lock while they wait for another.
    case acquireInOneOrder
    /// Every exit of the code that locks also unlocks, on the same thread.
    case unlockOnEveryWayOut
    /// Code that holds the lock calls no function that acquires it.
    case acquireNotAgain
    /// An initialiser neither calls nor waits for code that uses the variable that it initialises.
    case useNotInInitializer
    /// A thread that waits for another holds no lock that the other needs.
    case holdNothing

    // Signals.

    /// Every exit of the code that the thread waits for signals.
    case signalOnEveryWayOut
    /// A semaphore is signalled as often as threads wait for it.
    case signalForEachWait
    /// Every exit of the code that entered the group leaves the group.
    case leaveOnEveryWayOut
    /// The waiter checks its condition under the mutex, and a change wakes all waiters.
    case checkUnderMutex
    /// The waiting thread is not among the threads that it waits for.
    case waitOutside

    // Tasks.

    /// A task awaits no task that awaits it, directly or through others.
    case awaitInOneDirection
    /// Code on an actor awaits, and does not block its thread.
    case awaitOnActor
    /// Every exit of the code that has the continuation resumes it once.
    case resumeOnEveryWayOut
    /// Every exit of the code that yields to the stream finishes it.
    case finishOnEveryWayOut

    // Queues and pools.

    /// Code on the queue calls the function directly, and not with `sync`.
    case callDirectly
    /// Every `suspend()` is followed by a `resume()` that does not depend on the queue.
    case resumeQueue
    /// More threads would free the pool if it may grow enough. The code is safe if no block waits
    /// for a block that needs another thread of the pool.
    case needOneThread
    /// More threads do not free a task pool. The code is safe if a task awaits another one without
    /// blocking.
    case awaitInTask
    /// More threads do not free the main queue. The code is safe if the main thread does not wait
    /// for the queue's blocks.
    case keepMainThreadFree
    /// More threads do not free a serial queue. The code is safe if no block waits for a later
    /// block.
    case waitForNoLaterBlock
    /// More threads do not help a queue behind a barrier. The code is safe if no block waits for a
    /// later barrier or a block behind one.
    case waitForNothingBehindBarrier
  }
}
