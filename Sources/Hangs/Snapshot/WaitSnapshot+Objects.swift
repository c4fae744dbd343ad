package import Interlock

extension WaitSnapshot {
  /// The kinds of objects that a thread may wait for, hold, or be woken by.
  package enum ObjectKind: String, Sendable, Hashable, Codable {
    /// A pthread mutex: `NSLock`, `NSRecursiveLock`, the mutex of an `NSCondition`.
    case mutex
    /// A read-write lock, in its two modes.
    case readLock, writeLock
    /// A condition variable.
    case condition
    /// A semaphore: Dispatch's, or the C library's.
    case semaphore
    /// A Dispatch group.
    case group
    /// A Dispatch queue, waited for by a synchronous call.
    case queue
    /// `Synchronization.Mutex`, when it is contended.
    case swiftMutex
    /// A word with waiters in the kernel, of an unknown object.
    case futex
    /// A work item, until it has run.
    case workItem
    /// The end of another thread.
    case thread
    /// A continuation of a task.
    case continuation
    /// The next element of an `AsyncStream`, for which a task waits.
    case stream
    /// The end of a task, for which another task waits.
    case task
    /// An actor, which tasks wait to enter and on which a thread runs.
    case actor
    /// The tasks of a task group, which the task that created them waits for. Identified by that
    /// task's address.
    case taskGroup
    /// The initialiser of a global variable or a `static let`, or the function that `dispatch_once`
    /// runs. The thread that runs it holds it.
    case initializer
  }

  /// The known data of a semaphore, a group, a condition or a continuation.
  package struct Signal: Sendable, Hashable, Codable {
    /// The object.
    package var id: ObjectID
    /// The kind of the object.
    package var kind: ObjectKind
    /// A semaphore's initial value; `nil` if its creation was not recorded.
    package var value: Int?
    /// Where the object was created; for a continuation, where its task began to wait.
    package var created: [StackFrame]
    /// The symbol of the variable that contains the object, if no call created it.
    package var variable: String?
    /// The number of times that threads waited for the object.
    package var waits: Int
    /// The number of signals, leaves or resumptions.
    package var releases: Int
    /// The number of times that the group was entered.
    package var enters: Int
    /// The last places that signalled or left the object, newest first.
    package var releasePlaces: [StackFrame]
    /// The last places that entered the group.
    package var enterPlaces: [StackFrame]

    /// True for a suspended task that was not resumed.
    package var isWaitingTask: Bool { (kind == .continuation || kind == .stream) && releases == 0 }

    /// Describes an object.
    package init(
      id: ObjectID, kind: ObjectKind, value: Int? = nil, created: [StackFrame] = [],
      variable: String? = nil, waits: Int = 0, releases: Int = 0, enters: Int = 0,
      releasePlaces: [StackFrame] = [], enterPlaces: [StackFrame] = []
    ) {
      self.id = id
      self.kind = kind
      self.value = value
      self.created = created
      self.variable = variable
      self.waits = waits
      self.releases = releases
      self.enters = enters
      self.releasePlaces = releasePlaces
      self.enterPlaces = enterPlaces
    }
  }
}
