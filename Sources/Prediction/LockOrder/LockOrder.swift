/// In which orders the locks of a process were taken, as it was noted: addresses only, without a
/// word about what it means.
package struct LockOrder: Sendable {
  /// A lock of any kind: a mutex, a read-write lock, a semaphore that is used as one, a queue.
  package struct Lock: Sendable, Hashable {
    package var object: UInt
    package var kind: LockKind
    /// Where it was made; 0 where nobody saw that.
    package var created: UInt = 0
    /// A queue's.
    package var label = ""
    /// Whether it is certainly one lock, and used as one: only then an order through it says
    /// anything.
    package var isCertain = true

    package init(object: UInt, kind: LockKind) {
      self.object = object
      self.kind = kind
    }
  }

  /// That somebody who held one lock took another.
  package struct Edge: Sendable, Hashable {
    /// The indices of the locks.
    package var from: Int
    package var to: Int
    /// Whether others could hold it too meanwhile.
    package var fromIsShared = false
    package var toIsShared = false
    /// Who did so: by numbers that stand for a thread, a task or a block.
    package var owners: [UInt64] = []
    /// Whether there were more of them than are kept.
    package var hasManyOwners = false
    /// What was held then, the first lock among it, and whether shared.
    package var gates: [UInt: Bool] = [:]
    /// Where the first was taken and where that function was called, and the same of the second; 0
    /// where unknown.
    package var fromPlace: [UInt] = []
    package var toPlace: [UInt] = []
    /// The first who did so.
    package var actor = Actor()
    /// What it waited for instead of the second lock, and was signalled only under that.
    package var signal: Signal?

    package init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// What a thread waits for until another signals it.
  package struct Signal: Sendable, Hashable {
    package var kind: SignalKind
    /// Where it was made; 0 where that is not known.
    package var created: UInt
    /// Where it was signalled first, and by which thread.
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

/// What a lock is.
package enum LockKind: Sendable, Hashable {
  case mutex, readWriteLock, semaphore, queue, swiftMutex
}

/// What a thread waits for that is no lock.
package enum SignalKind: String, Sendable, Hashable {
  case semaphore, group, condition
  case workItem = "work item"
}

/// Who did something.
package struct Actor: Sendable, Hashable {
  package var thread = 0
  package var name = ""
  package var queue = ""
  package var isTask = false
  /// Innermost first, from the place on.
  package var stack: [UInt] = []

  package init() {}
}
