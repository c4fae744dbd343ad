extension Diagnosis {
  /// A thread or a task, by its number in the snapshot.
  package enum Party: Sendable, Hashable, Codable {
    /// A thread, by the system's number.
    case thread(Int)
    /// A task that waits without a thread, by its address.
    case task(WaitSnapshot.ObjectID)
  }

  /// An object that threads wait for or hold.
  package struct Object: Sendable, Hashable, Codable {
    /// Its kind; for a read-write lock, the mode.
    package var kind: WaitSnapshot.ObjectKind
    /// Its address, or the number of a thread.
    package var id: WaitSnapshot.ObjectID

    /// Describes an object.
    package init(_ kind: WaitSnapshot.ObjectKind, _ id: WaitSnapshot.ObjectID) {
      self.kind = kind
      self.id = id
    }
  }

  /// A wait that another party blocks.
  package struct BlockedWait: Sendable, Hashable, Codable {
    /// The party that waits.
    package var waiter: Party
    /// How the other blocks it.
    package var gate: Gate
    /// The party that blocks it.
    package var keeper: Party

    /// Describes a wait.
    package init(_ waiter: Party, _ gate: Gate, by keeper: Party) {
      self.waiter = waiter
      self.gate = gate
      self.keeper = keeper
    }
  }

  /// A set of threads that block others; equal gates have equal threads.
  package enum Gate: Sendable, Hashable, Codable {
    case lock(WaitSnapshot.ObjectID)
    case writers(WaitSnapshot.ObjectID)
    case readersAndWriters(WaitSnapshot.ObjectID)
    case writeWaiters(WaitSnapshot.ObjectID)
    /// The thread on a serial queue, or in a barrier of a concurrent one.
    case queue(WaitSnapshot.ObjectID)
    /// All threads on a concurrent queue.
    case runners(WaitSnapshot.ObjectID)
    case barrierWaiters(WaitSnapshot.ObjectID)
    case apply(WaitSnapshot.ObjectID)
    case jobs(WaitSnapshot.ObjectID)
    case end(Int)
    /// The threads that are in a work item, or in the blocks of a group.
    case workItem(WaitSnapshot.ObjectID)
    case members(WaitSnapshot.ObjectID)
    /// The tasks that a task has made in a task group.
    case children(WaitSnapshot.ObjectID)
    case main
    /// The thread that has acquired a semaphore which is used as a lock. Only names cycles;
    /// liveness does not use it.
    case semaphore(WaitSnapshot.ObjectID)
    /// The threads that are in blocks which a thread has enqueued. Only names cycles; liveness does
    /// not use it.
    case started(Int)

    /// Its lock or queue; `nil` for none.
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
