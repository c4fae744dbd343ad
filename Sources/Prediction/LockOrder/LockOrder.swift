/// The orders in which the locks of a process were acquired, by address. The data is not
/// interpreted.
package struct LockOrder: Sendable {
  /// A lock of any kind: a mutex, a read-write lock, a semaphore used as a lock, a queue.
  package struct Lock: Sendable, Hashable {
    package var object: UInt
    package var kind: LockKind
    /// Where the lock was created; 0 if that was not recorded.
    package var created: UInt = 0
    /// The callers of the function that created the lock, innermost first, where known.
    package var makers: [UInt] = []
    /// The label of a queue.
    package var label = ""
    /// True if this is certainly a single object used as a lock. Only then is an order through it
    /// evidence.
    package var isCertain = true

    package init(object: UInt, kind: LockKind) {
      self.object = object
      self.kind = kind
    }
  }

  /// An edge: an owner that held one lock acquired another.
  package struct Edge: Sendable, Hashable {
    /// The indices of the locks.
    package var from: Int
    package var to: Int
    /// True if other owners could hold the lock at the same time.
    package var fromIsShared = false
    package var toIsShared = false
    /// The owners, by numbers that identify a thread, a task or a block.
    package var owners: [UInt64] = []
    /// True if there were more owners than are stored.
    package var hasManyOwners = false
    /// The locks held at that time, including the first lock; the value is true for a shared hold.
    package var gates: [UInt: Bool] = [:]
    /// The gates that a thread has released for another. They may exclude nothing.
    package var releasedGates: Set<UInt> = []
    /// Where each of the two locks was acquired, and the caller of that function; empty if unknown.
    package var fromPlace: [UInt] = []
    package var toPlace: [UInt] = []
    /// The first owner.
    package var actor = Actor()
    /// The signal that the owner waited for, if it did not acquire the second lock itself. The
    /// signal was only sent under that lock.
    package var signal: Signal?

    package init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// An object that a thread waits for until another thread signals it.
  package struct Signal: Sendable, Hashable {
    package var kind: SignalKind
    /// Where the object was created; 0 if unknown.
    package var created: UInt
    /// Where the object was first signalled, and by which thread.
    package var place: UInt
    package var thread: Int

    package init(kind: SignalKind, created: UInt = 0, place: UInt = 0, thread: Int = 0) {
      self.kind = kind
      self.created = created
      self.place = place
      self.thread = thread
    }
  }

  /// The locks by index. Indices may have gaps.
  package var locks: [Int: Lock] = [:]
  package var edges: [Edge] = []

  package init() {}
}

/// The kind of a lock.
package enum LockKind: Sendable, Hashable {
  case mutex, readWriteLock, semaphore, queue, swiftMutex
}

/// The kind of an object, other than a lock, that a thread waits for.
package enum SignalKind: String, Sendable, Hashable {
  case semaphore, group, condition
  case workItem = "work item"
}

/// The thread or task that acts.
package struct Actor: Sendable, Hashable {
  package var thread = 0
  package var name = ""
  package var queue = ""
  package var isTask = false
  /// The stack from the place outwards, innermost first.
  package var stack: [UInt] = []

  package init() {}
}
