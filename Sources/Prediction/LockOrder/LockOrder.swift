/// The orders in which the locks of a process were acquired, by address, without interpretation.
package struct LockOrder: Sendable {
  /// A lock of any kind: a mutex, a read-write lock, a semaphore that is used as a lock, a queue.
  package struct Lock: Sendable, Hashable {
    package var object: UInt
    package var kind: LockKind
    /// Where it was made; 0 if that was not seen.
    package var created: UInt = 0
    /// The callers of the function that made it, innermost first, as far as they are known.
    package var makers: [UInt] = []
    /// The label of a queue.
    package var label = ""
    /// Whether it is certainly a single object that is used as a lock: only then an order through
    /// it is evidence.
    package var isCertain = true

    package init(object: UInt, kind: LockKind) {
      self.object = object
      self.kind = kind
    }
  }

  /// An owner that held one lock acquired another.
  package struct Edge: Sendable, Hashable {
    /// The indices of the locks.
    package var from: Int
    package var to: Int
    /// Whether other owners could hold it at the same time.
    package var fromIsShared = false
    package var toIsShared = false
    /// The owners, by numbers that stand for a thread, a task or a block.
    package var owners: [UInt64] = []
    /// Whether there were more owners than are stored.
    package var hasManyOwners = false
    /// The locks held at that time, including the first lock, and whether each was shared.
    package var gates: [UInt: Bool] = [:]
    /// Where the first lock was acquired and where that function was called, and likewise for the
    /// second; 0 if unknown.
    package var fromPlace: [UInt] = []
    package var toPlace: [UInt] = []
    /// The first owner.
    package var actor = Actor()
    /// The signal that the owner waited for, if it did not acquire the second lock itself: the
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
    /// Where it was made; 0 if unknown.
    package var created: UInt
    /// Where it was first signalled, and by which thread.
    package var place: UInt
    package var thread: Int

    package init(kind: SignalKind, created: UInt = 0, place: UInt = 0, thread: Int = 0) {
      self.kind = kind
      self.created = created
      self.place = place
      self.thread = thread
    }
  }

  /// By index, which may have gaps.
  package var locks: [Int: Lock] = [:]
  package var edges: [Edge] = []

  package init() {}
}

/// The kind of a lock.
package enum LockKind: Sendable, Hashable {
  case mutex, readWriteLock, semaphore, queue, swiftMutex
}

/// The kind of an object, other than a lock, for which a thread waits.
package enum SignalKind: String, Sendable, Hashable {
  case semaphore, group, condition
  case workItem = "work item"
}

/// The thread or task of an action.
package struct Actor: Sendable, Hashable {
  package var thread = 0
  package var name = ""
  package var queue = ""
  package var isTask = false
  /// The stack from the place outwards, innermost first.
  package var stack: [UInt] = []

  package init() {}
}
