package import Interlock

/// What each thread of a process waits for at one moment: the input of a `Diagnosis`.
///
/// `SnapshotTaker` fills it from the wait table and from the system's data about the threads. It is
/// a value, so tests need no threads. A place in code is initially a frame with only an address;
/// `named(_:)` adds the symbols.
package struct WaitSnapshot: Sendable, Hashable, Codable {
  /// An object of the process, by its address.
  package typealias ObjectID = UInt

  /// The threads, in the order of their numbers.
  package var threads: [Thread]
  /// The queues that a thread waits for or runs on, the queues with blocks, and the targets of
  /// both.
  package var queues: [Queue]
  /// The semaphores, groups and conditions that threads wait for, the continuations that were not
  /// resumed, and the mutexes and read-write locks whose initialisation was recorded.
  package var signals: [Signal]
  /// The locks that threads wait for, and that an ended thread left locked.
  package var leftLocks: [LeftLock] = []
  /// The tasks that wait for other tasks, for actors or for the tasks of their group.
  package var awaits: [Await] = []
  /// The types of the actors in `awaits`, where known.
  package var actorTypes: [ObjectID: String] = [:]
  /// The places that created the suspended tasks, where known.
  package var taskMakers: [ObjectID: [StackFrame]] = [:]
  /// The number of processors that determines the size of the pools.
  package var processors: Int
  /// True if code may run unseen: from a Dispatch source, from I/O, in a signal's handler, or
  /// because a table was full.
  package var isPartial: Bool
  /// The seconds until the next timer fires; `nil` if none is set.
  package var nextTimer: Double?
  /// The seconds since the last event.
  package var quietSeconds: Double
  /// True if the process may be idle, like a program that waits for requests; false for a test.
  package var mayRest: Bool
  /// The call that waits for its own thread, if it caused the snapshot.
  package var selfWait: SelfWait?
  /// The activity of the threads before the snapshot; empty if it was not sampled.
  package var activity: [Activity]

  /// Describes a process.
  package init(
    threads: [Thread] = [], queues: [Queue] = [], signals: [Signal] = [], processors: Int = 2,
    isPartial: Bool = false, nextTimer: Double? = nil, quietSeconds: Double = 0,
    mayRest: Bool = false, selfWait: SelfWait? = nil, activity: [Activity] = []
  ) {
    self.threads = threads
    self.queues = queues
    self.signals = signals
    self.processors = processors
    self.isPartial = isPartial
    self.nextTimer = nextTimer
    self.quietSeconds = quietSeconds
    self.mayRest = mayRest
    self.selfWait = selfWait
    self.activity = activity
  }

  /// True if tasks wait for streams' next elements, and no other task or queued block is known to
  /// wait.
  package var isOnlyListening: Bool {
    let tasks = signals.filter(\.isWaitingTask)
    return !tasks.isEmpty && tasks.allSatisfy { $0.kind == .stream }
      && !queues.contains { $0.isSuspended && $0.queued > 0 }
  }
}
