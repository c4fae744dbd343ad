extension Diagnosis {
  /// A thread or a task, by its number in the snapshot.
  package enum Party: Sendable, Hashable, Codable {
    /// A thread, by its system thread id.
    case thread(Int)
    /// A task that waits without a thread, by its address.
    case task(WaitSnapshot.ObjectID)
  }

  /// An object that threads wait for or hold.
  package struct Object: Sendable, Hashable, Codable {
    /// The kind of the object; for a read-write lock, the mode.
    package var kind: WaitSnapshot.ObjectKind
    /// The object's address, or a thread's number.
    package var id: WaitSnapshot.ObjectID

    /// Describes an object.
    package init(_ kind: WaitSnapshot.ObjectKind, _ id: WaitSnapshot.ObjectID) {
      self.kind = kind
      self.id = id
    }
  }

  /// A party's wait, with the party that blocks it.
  package struct BlockedWait: Sendable, Hashable, Codable {
    /// The party that waits.
    package var waiter: Party
    /// The gate at which the keeper blocks the waiter.
    package var gate: Gate
    /// The party that blocks the waiter.
    package var keeper: Party

    /// Describes a wait.
    package init(_ waiter: Party, _ gate: Gate, by keeper: Party) {
      self.waiter = waiter
      self.gate = gate
      self.keeper = keeper
    }
  }

  /// A set of threads that block other threads. Equal gates have equal threads.
  package enum Gate: Sendable, Hashable, Codable {
    case lock(WaitSnapshot.ObjectID)
    case writers(WaitSnapshot.ObjectID)
    case readersAndWriters(WaitSnapshot.ObjectID)
    case writeWaiters(WaitSnapshot.ObjectID)
    /// The thread on a serial queue, or in a barrier of a concurrent queue.
    case queue(WaitSnapshot.ObjectID)
    /// All threads on a concurrent queue.
    case runners(WaitSnapshot.ObjectID)
    case barrierWaiters(WaitSnapshot.ObjectID)
    case apply(WaitSnapshot.ObjectID)
    case jobs(WaitSnapshot.ObjectID)
    case end(Int)
    /// The threads that run a work item, or blocks of a group.
    case workItem(WaitSnapshot.ObjectID)
    case members(WaitSnapshot.ObjectID)
    /// The tasks that a task has created in a task group.
    case children(WaitSnapshot.ObjectID)
    case main
    /// The thread that holds a semaphore used as a lock. Cycles use this gate, liveness does not.
    case semaphore(WaitSnapshot.ObjectID)
    /// The threads that run blocks which a thread has enqueued. Cycles use this gate, liveness does
    /// not.
    case started(Int)

    /// The gate's lock or queue; `nil` if it has none.
    package var object: WaitSnapshot.ObjectID? {
      switch self {
      case .lock(let id), .writers(let id), .readersAndWriters(let id), .writeWaiters(let id),
        .queue(let id), .runners(let id), .barrierWaiters(let id), .apply(let id), .jobs(let id),
        .semaphore(let id), .workItem(let id), .members(let id), .children(let id):
        id
      case .end, .main, .started: nil
      }
    }
  }
}
