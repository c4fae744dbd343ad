package import Interlock

extension WaitSnapshot {
  /// A thread: what it waits for, holds and runs.
  package struct Thread: Sendable, Hashable, Codable {
    /// The system's number for it.
    package var id: Int
    /// Its name, as the system has it.
    package var name: String
    /// What reports call it, if not by its number: a thread of an explored program has its own.
    package var title: String?
    /// Whether it is the first thread of the process.
    package var isMain: Bool
    /// The object of the process that it waits for; `nil` if it waits for none.
    package var wait: Wait?
    /// What it does if it waits for no object.
    package var elsewhere: Elsewhere
    /// The objects that it holds.
    package var held: [Held]
    /// The blocks that it runs, outermost first.
    package var runs: [Run]
    /// The root queue whose worker it is; `nil` if it is no worker.
    package var pool: ObjectID?
    /// The number of the thread that started it; 0 if that is not known.
    package var startedBy = 0
    /// The task that it runs while it waits; `nil` for none.
    package var task: ObjectID?
    /// The task that made that one in a task group; `nil` for a task in none.
    package var parentTask: ObjectID?
    /// Whether it holds or runs more than `held` and `runs` list.
    package var isPartial: Bool
    /// The stack, innermost first; empty if it was not captured.
    package var stack: [StackFrame]

    /// Describes a thread.
    package init(
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

  /// The state of a thread that waits for no object of the process.
  package enum Elsewhere: String, Sendable, Hashable, Codable {
    /// The thread runs, or could.
    case running
    /// The thread is a pool's worker without work.
    case idle
    /// The thread listens to descriptors that only this process writes to, as a run loop without
    /// work does.
    case listening
    /// The thread is in a system call that ends by itself: a sleep, or a read from outside.
    case outside
    /// The thread waits for an unknown object; only another thread can wake it.
    case unknown
  }

  /// A wait.
  package struct Wait: Sendable, Hashable, Codable {
    /// The kind of the object.
    package var kind: ObjectKind
    /// The object; for the end of a thread, the thread's number.
    package var object: ObjectID
    /// Where the user's code made the call.
    package var place: [StackFrame]
    /// How many frames at the end of `place` were taken from the thread's stack, which threads that
    /// wait at one place need not share.
    package var callers = 0
    /// The place without those frames: threads with equal calls wait alike.
    var call: ArraySlice<StackFrame> { place.dropLast(max(0, callers)) }
    /// Whether the wait ends by itself when its time is up.
    package var hasTimeLimit: Bool
    /// Whether it is a synchronous call with a barrier.
    package var isBarrier: Bool
    /// Whether it is `concurrentPerform`: the thread works too.
    package var isApply: Bool
    /// How long the thread has waited, in seconds.
    package var seconds: Double

    /// Describes a wait.
    package init(
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

  /// An object that a thread holds.
  package struct Held: Sendable, Hashable, Codable {
    /// The kind of the object.
    package var kind: ObjectKind
    /// The object.
    package var object: ObjectID
    /// Where the thread acquired it; empty if that was not seen.
    package var place: [StackFrame]
    /// How many frames at the end of `place` were taken from the thread's stack.
    package var callers = 0
    /// The place without those frames.
    var call: ArraySlice<StackFrame> { place.dropLast(max(0, callers)) }
    /// Whether a block of a pool's thread acquired it and ended without releasing it. The block
    /// that the thread runs now is another owner.
    package var isLeft: Bool
    /// The task that has left the thread at an `await` since; `nil` for none.
    package var leftBy: ObjectID?

    /// Describes a hold.
    package init(
      kind: ObjectKind, object: ObjectID, place: [StackFrame] = [], isLeft: Bool = false,
      leftBy: ObjectID? = nil
    ) {
      self.kind = kind
      self.object = object
      self.place = place
      self.isLeft = isLeft
      self.leftBy = leftBy
    }
  }

  /// A block that a thread runs.
  package struct Run: Sendable, Hashable, Codable {
    /// Its queue.
    package var queue: ObjectID
    /// Where it was enqueued.
    package var place: [StackFrame]
    /// The thread that enqueued it; 0 for a synchronous call, which is the thread's own, and if it
    /// is not known.
    package var enqueuedBy: Int
    /// Whether it is a barrier: no other block may run on its concurrent queue meanwhile.
    package var isBarrier: Bool
    /// Whether it was called synchronously.
    package var isSynchronous: Bool
    /// Whether it is a part of `concurrentPerform`.
    package var isApply: Bool
    /// Whether it is a job of Swift Concurrency.
    package var isJob: Bool
    /// The task of a job; `nil` for none.
    package var task: ObjectID? = nil
    /// Its work item; `nil` for none.
    package var workItem: ObjectID?
    /// The group that it leaves at its end; `nil` for none.
    package var group: ObjectID?
    /// A number that blocks of the same code share; 0 if it is not known.
    package var code: UInt64
    /// A number that blocks share which certainly begin with the same wait, for the same object; 0
    /// if it is not known that this one does.
    package var sureWait: UInt64 = 0

    /// Describes a block.
    package init(
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
}
