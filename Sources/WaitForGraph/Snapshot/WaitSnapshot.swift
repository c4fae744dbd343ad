public import Interlock

/// Who waits for what in a process at one moment: what a `Diagnosis` is made from.
///
/// Made by `SnapshotTaker` from the wait table and from what the system says of the threads; a
/// value, so that a diagnosis is tested without a thread. Addresses of code are frames: only their
/// addresses are known when it is made, and whoever can read symbols names them (`named(_:)`).
public struct WaitSnapshot: Sendable, Hashable, Codable {
  /// An object of the process, by its address.
  public typealias ObjectID = UInt

  /// What a thread may wait for, hold, or be woken by.
  public enum ObjectKind: String, Sendable, Hashable, Codable {
    /// A pthread mutex: `NSLock`, `NSRecursiveLock`, the mutex of an `NSCondition`.
    case mutex
    /// A read-write lock, asked for to read, or to write.
    case readLock, writeLock
    /// A condition variable.
    case condition
    /// A semaphore: Dispatch's, or the C library's.
    case semaphore
    /// A Dispatch group.
    case group
    /// A Dispatch queue, by a synchronous call.
    case queue
    /// `Synchronization.Mutex`, when it is contended.
    case swiftMutex
    /// A word that the kernel has waiters for, and nothing more is known.
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
    /// An actor, which a task wants to enter and a thread runs.
    case actor
    /// The tasks of a task group, for which the task that made them waits: by that task's address.
    case taskGroup
    /// The initialiser of a global variable or a `static let`, or what `dispatch_once` runs: who is
    /// in it has it.
    case initializer
  }

  /// How a wait that is not for one of the process's own objects may end.
  public enum Elsewhere: String, Sendable, Hashable, Codable {
    /// It runs, or could.
    case running
    /// It is a pool's worker without work.
    case idle
    /// It listens to descriptors that only this process writes to, as a run loop without work does.
    case listening
    /// It is in a system call that ends by itself: a sleep, or reading from outside.
    case outside
    /// Nobody knows for what; only another thread can wake it.
    case unknown
  }

  /// A wait.
  public struct Wait: Sendable, Hashable, Codable {
    /// The kind of the object.
    public var kind: ObjectKind
    /// The object; for the end of a thread, its number.
    public var object: ObjectID
    /// Where the user's code made the call.
    public var place: [StackFrame]
    /// Whether the wait ends by itself when its time is up.
    public var hasTimeLimit: Bool
    /// Whether it is a synchronous call with a barrier.
    public var isBarrier: Bool
    /// Whether it is `concurrentPerform`: the thread works too.
    public var isApply: Bool
    /// For how long, in seconds.
    public var seconds: Double

    /// Describes a wait.
    public init(
      kind: ObjectKind, object: ObjectID, place: [StackFrame] = [], hasTimeLimit: Bool = false,
      isBarrier: Bool = false, isApply: Bool = false, seconds: Double = 0
    ) {
      self.kind = kind
      self.object = object
      self.place = place
      self.hasTimeLimit = hasTimeLimit
      self.isBarrier = isBarrier
      self.isApply = isApply
      self.seconds = seconds
    }
  }

  /// Something that a thread holds.
  public struct Held: Sendable, Hashable, Codable {
    /// The kind of the object.
    public var kind: ObjectKind
    /// The object.
    public var object: ObjectID
    /// Where it was taken; empty where nobody saw that.
    public var place: [StackFrame]

    /// Describes a hold.
    public init(kind: ObjectKind, object: ObjectID, place: [StackFrame] = []) {
      self.kind = kind
      self.object = object
      self.place = place
    }
  }

  /// A block that a thread is in.
  public struct Run: Sendable, Hashable, Codable {
    /// Its queue.
    public var queue: ObjectID
    /// Where it was handed to the queue.
    public var place: [StackFrame]
    /// The thread that did; 0 for a synchronous call, which is the thread's own, and where it is
    /// not known.
    public var enqueuedBy: Int
    /// Whether nothing else may run on the queue meanwhile, although it is a concurrent one.
    public var isBarrier: Bool
    /// Whether it was called synchronously.
    public var isSynchronous: Bool
    /// Whether it is a part of `concurrentPerform`.
    public var isApply: Bool
    /// Whether it is a job of Swift Concurrency.
    public var isJob: Bool
    /// The work item that it is of; `nil` for none.
    public var workItem: ObjectID?
    /// The group that is left when it ends; `nil` for none.
    public var group: ObjectID?
    /// A number that is the same for blocks of the same code; 0 where it is not known.
    public var code: UInt64

    /// Describes a block.
    public init(
      queue: ObjectID, place: [StackFrame] = [], enqueuedBy: Int = 0, isBarrier: Bool = false,
      isSynchronous: Bool = false, isApply: Bool = false, isJob: Bool = false,
      workItem: ObjectID? = nil, group: ObjectID? = nil, code: UInt64 = 0
    ) {
      self.code = code
      self.queue = queue
      self.place = place
      self.enqueuedBy = enqueuedBy
      self.isBarrier = isBarrier
      self.isSynchronous = isSynchronous
      self.isApply = isApply
      self.isJob = isJob
      self.workItem = workItem
      self.group = group
    }
  }

  /// A thread.
  public struct Thread: Sendable, Hashable, Codable {
    /// The system's number for it.
    public var id: Int
    /// Its name, as the system has it.
    public var name: String
    /// Whether it is the first of the process.
    public var isMain: Bool
    /// What it waits for, if that is an object of the process.
    public var wait: Wait?
    /// What it does otherwise.
    public var elsewhere: Elsewhere
    /// What it holds.
    public var held: [Held]
    /// The blocks that it is in, outermost first.
    public var runs: [Run]
    /// The root queue whose worker it is; `nil` for none.
    public var pool: ObjectID?
    /// The number of the thread that started it; 0 where that is not known.
    public var startedBy = 0
    /// The task that it runs while it waits; `nil` for none.
    public var task: ObjectID?
    /// The task that made that one in a task group; `nil` for a task in none.
    public var parentTask: ObjectID?
    /// Whether it holds or runs more than is told here.
    public var isPartial: Bool
    /// The stack, innermost first; empty where it was not captured.
    public var stack: [StackFrame]

    /// Describes a thread.
    public init(
      id: Int, name: String = "", isMain: Bool = false, wait: Wait? = nil,
      elsewhere: Elsewhere = .unknown, held: [Held] = [], runs: [Run] = [], pool: ObjectID? = nil,
      isPartial: Bool = false, stack: [StackFrame] = []
    ) {
      self.id = id
      self.name = name
      self.isMain = isMain
      self.wait = wait
      self.elsewhere = elsewhere
      self.held = held
      self.runs = runs
      self.pool = pool
      self.isPartial = isPartial
      self.stack = stack
    }
  }

  /// Blocks of a queue that were handed to it one after the other from one place.
  public struct QueuedBlocks: Sendable, Hashable, Codable {
    /// How many.
    public var count: Int
    /// Where they were handed to the queue.
    public var place: [StackFrame]
    /// The threads that did, at most 256 of them.
    public var enqueuedBy: [Int]
    /// Whether they are barriers.
    public var isBarrier: Bool
    /// Whether they are jobs of Swift Concurrency.
    public var isJob: Bool
    /// How many blocks are queued before the first of them for threads of the same pool.
    public var ahead: Int
    /// The number of their code, where a thread that waits runs a block of the same; 0 elsewhere.
    public var code: UInt64

    /// Describes blocks.
    public init(
      count: Int, place: [StackFrame] = [], enqueuedBy: [Int] = [], isBarrier: Bool = false,
      isJob: Bool = false, ahead: Int = 0, code: UInt64 = 0
    ) {
      self.code = code
      self.count = count
      self.place = place
      self.enqueuedBy = enqueuedBy
      self.isBarrier = isBarrier
      self.isJob = isJob
      self.ahead = ahead
    }
  }

  /// A Dispatch queue.
  public struct Queue: Sendable, Hashable, Codable {
    /// Its address.
    public var id: ObjectID
    /// Its label; empty for none.
    public var label: String
    /// How many of its blocks may run at once; 1 for a serial queue, 0 where it is not known.
    public var width: Int
    /// The queue that its blocks are handed on to; `nil` for a root queue, and where it is not
    /// known.
    public var target: ObjectID?
    /// Whether only the main thread runs its blocks.
    public var isMain: Bool
    /// Whether it is a root queue: a pool of threads.
    public var isRoot: Bool
    /// Whether that pool may have 255 threads at once; others begin with one for each processor.
    public var isOvercommit: Bool
    /// Whether it is suspended: nothing that is queued begins.
    public var isSuspended: Bool
    /// Whether its blocks are known to come to the pool in the order in which they were handed to
    /// it, and to nothing but that: it was never suspended, retargeted, or closed by a barrier.
    public var keepsOrder: Bool
    /// Blocks that have not begun.
    public var queued: Int
    /// Blocks that are queued when their time has come.
    public var delayed: Int
    /// The seconds until the first of them is; `nil` for none.
    public var nextDelayed: Double?
    /// Blocks that are queued when a group is empty.
    public var onGroups: Int
    /// The first of the queued blocks, those of one place together.
    public var blocks: [QueuedBlocks]

    /// Describes a queue.
    public init(
      id: ObjectID, label: String = "", width: Int = 1, target: ObjectID? = nil,
      isMain: Bool = false, isRoot: Bool = false, isOvercommit: Bool = false,
      isSuspended: Bool = false, keepsOrder: Bool = false, queued: Int = 0, delayed: Int = 0,
      nextDelayed: Double? = nil,
      onGroups: Int = 0, blocks: [QueuedBlocks] = []
    ) {
      self.id = id
      self.label = label
      self.width = width
      self.target = target
      self.isMain = isMain
      self.isRoot = isRoot
      self.isOvercommit = isOvercommit
      self.isSuspended = isSuspended
      self.keepsOrder = keepsOrder
      self.queued = queued
      self.delayed = delayed
      self.nextDelayed = nextDelayed
      self.onGroups = onGroups
      self.blocks = blocks
    }
  }

  /// What is known of a semaphore, a group, a condition or a continuation.
  public struct Signal: Sendable, Hashable, Codable {
    /// The object.
    public var id: ObjectID
    /// Its kind.
    public var kind: ObjectKind
    /// A semaphore's first value; `nil` where nobody saw it being made.
    public var value: Int?
    /// Where it was made; for a continuation, where its task began to wait.
    public var created: [StackFrame]
    /// How often it was waited for.
    public var waits: Int
    /// How often it was signalled, left or resumed.
    public var releases: Int
    /// How often it was entered.
    public var enters: Int
    /// The last places that signalled or left it, newest first.
    public var releasePlaces: [StackFrame]
    /// The last places that entered it.
    public var enterPlaces: [StackFrame]

    /// Whether it is a task that has given its thread up, and was not let go on.
    var isWaitingTask: Bool { (kind == .continuation || kind == .stream) && releases == 0 }

    /// Describes an object.
    public init(
      id: ObjectID, kind: ObjectKind, value: Int? = nil, created: [StackFrame] = [],
      waits: Int = 0, releases: Int = 0, enters: Int = 0, releasePlaces: [StackFrame] = [],
      enterPlaces: [StackFrame] = []
    ) {
      self.id = id
      self.kind = kind
      self.value = value
      self.created = created
      self.waits = waits
      self.releases = releases
      self.enters = enters
      self.releasePlaces = releasePlaces
      self.enterPlaces = enterPlaces
    }
  }

  /// A call for what its thread has already, told before it traps or hangs: a synchronous one on a
  /// queue that the thread is on, or one for a Swift mutex.
  public struct SelfWait: Sendable, Hashable, Codable {
    /// The thread.
    public var thread: Int
    /// What it asks for: a queue, or a Swift mutex.
    public var kind: ObjectKind
    /// The object.
    public var object: ObjectID
    /// The call.
    public var place: [StackFrame]
    /// Where the thread came to be on the queue: the outer call, or where its block was enqueued.
    /// Empty for a mutex.
    public var firstPlace: [StackFrame]
    /// Whether the process is ended there, instead of waiting for ever.
    public var traps: Bool

    /// Describes a call.
    public init(
      thread: Int, kind: ObjectKind = .queue, object: ObjectID, place: [StackFrame] = [],
      firstPlace: [StackFrame] = [], traps: Bool
    ) {
      self.thread = thread
      self.kind = kind
      self.object = object
      self.place = place
      self.firstPlace = firstPlace
      self.traps = traps
    }
  }

  /// The threads, in the order of their numbers.
  public var threads: [Thread]
  /// The queues that matter: with something queued, running or waited for, and their targets.
  public var queues: [Queue]
  /// The semaphores, groups and conditions that threads wait at, continuations that were not
  /// resumed, and the mutexes and read-write locks whose making was seen.
  public var signals: [Signal]
  /// The locks that threads wait for and that a thread which has ended has left locked.
  public var leftLocks: [LeftLock] = []
  /// The tasks that wait for other tasks, for actors or for the tasks of their group.
  public var awaits: [Await] = []
  /// The types of those actors, as far as they are known.
  public var actorTypes: [ObjectID: String] = [:]
  /// How many processors the pools were made for.
  public var processors: Int
  /// Whether something may run code without being seen here (a Dispatch source, I/O, no room in a
  /// table).
  public var isPartial: Bool
  /// Whether a timer is set, in seconds; `nil` for none.
  public var nextTimer: Double?
  /// For how long nothing has happened, in seconds.
  public var quietSeconds: Double
  /// Whether having nothing to do is in order, as it is for a program that waits to be asked, and
  /// not for a test.
  public var mayRest: Bool
  /// A call that waits for its own thread, if that is why this was made.
  public var selfWait: SelfWait?
  /// What the threads did up to now; empty where nobody looked.
  public var activity: [Activity]

  /// Whether tasks wait for streams' next elements, and no task or queued block is known to wait
  /// for anything else.
  public var isOnlyListening: Bool {
    let tasks = signals.filter(\.isWaitingTask)
    return !tasks.isEmpty && tasks.allSatisfy { $0.kind == .stream }
      && !queues.contains { $0.isSuspended && $0.queued > 0 }
  }

  /// Describes a process.
  public init(
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
}
