extension Diagnosis {
  /// A cause with the threads and objects that belong to it.
  ///
  /// All lists of parties are ascending unless stated otherwise. *Others* are the stuck parties
  /// that do not belong to the cause.
  package enum Evidence: Sendable, Hashable, Codable {
    /// Each party waits for the next, and the last for the first. The first party has the lowest
    /// number.
    case cycle([BlockedWait], others: [Party])
    /// A thread waits for a signal, and every thread that could send it waits, directly or through
    /// others, for an object that the waiter holds.
    case signalCycle(waiter: Party, signal: Object, has: WaitSnapshot.ObjectID, blocked: [Party])
    /// A thread on an actor waits for a signal, while tasks wait to enter the actor.
    case blockedActor(
      WaitSnapshot.ObjectID, holder: Party, signal: Object, entering: [Party], others: [Party])
    /// A suspended task waits for a signal and has left a lock locked, which the waiters need.
    case suspendedHolder(
      WaitSnapshot.ObjectID, signal: Object, has: Object, waiters: [Party], others: [Party])
    /// A party waits for an object that it holds itself.
    case selfWait(Party, Gate, Object)
    /// A thread is about to wait for an object that it holds; the call is the snapshot's
    /// `selfWait`.
    case ownCall(thread: Int, Object, traps: Bool)
    /// All threads of a pool wait, with blocks queued behind them.
    case starvation(Starvation)
    /// Parties wait for a signal or an unlock that no thread can send any more. The chain has the
    /// parties that wait for them, outermost first. The listeners are tasks that wait for a stream.
    case lostSignal(
      Object, waiters: [Party], chain: [BlockedWait], listeners: [WaitSnapshot.ObjectID],
      others: [Party])
    /// A queue is suspended, and no thread can resume it any more.
    case suspendedQueue(WaitSnapshot.ObjectID, queued: Int, calls: Int, others: [Party])
    /// Tasks wait for continuations that were never resumed, or for the next elements of streams.
    case suspendedTasks(
      WaitSnapshot.ObjectKind, waitingFor: [WaitSnapshot.ObjectID], others: [Party])
    /// Threads wait for a lock that its owner did not release. The chain has the parties that wait
    /// for these threads, outermost first.
    case abandonedLock(
      Object, by: LockOwner, waiters: [Party], chain: [BlockedWait], others: [Party])
    /// Threads sleep for an unknown reason.
    case asleep([Party])
    /// Parties are stuck, and no cause is known.
    case stuck([Party])

    /// The kind of the cause.
    package var cause: Cause {
      switch self {
      case .cycle, .signalCycle, .blockedActor, .suspendedHolder: .cycle
      case .selfWait, .ownCall: .self
      case .starvation: .starvation
      case .lostSignal: .lostWakeUp
      case .suspendedQueue, .suspendedTasks: .suspended
      case .abandonedLock: .abandonedLock
      case .asleep, .stuck: .unknown
      }
    }
  }

  /// The owner of an abandoned lock.
  package enum LockOwner: Sendable, Hashable, Codable {
    /// The thread has ended; its name is in the snapshot's `leftLocks`.
    case ended(Int)
    /// The threads hold the lock, and are idle or run another block.
    case continued([Party])
  }
}
