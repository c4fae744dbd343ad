package import Interlock

extension WaitSnapshot {
  /// A thread: the objects it waits for and holds, and the blocks it runs.
  package struct Thread: Sendable, Hashable, Codable {
    /// The system thread id.
    package var id: Int
    /// The system's name of the thread.
    package var name: String
    /// The name in reports, if reports do not use the number: threads of an explored body have own
    /// names.
    package var title: String?
    /// True for the first thread of the process.
    package var isMain: Bool
    /// The wait for an object of the process; `nil` if the thread waits for none.
    package var wait: Wait?
    /// The state of a thread that waits for no object.
    package var elsewhere: Elsewhere
    /// The objects that the thread holds.
    package var held: [Held]
    /// The blocks that the thread runs, outermost first.
    package var runs: [Run]
    /// The root queue whose worker the thread is; `nil` if it is no worker.
    package var pool: ObjectID?
    /// The number of the thread that started this one; 0 if unknown.
    package var startedBy = 0
    /// The task that the thread runs while it waits; `nil` for none.
    package var task: ObjectID?
    /// The task that created `task` in a task group; `nil` for a task in no group.
    package var parentTask: ObjectID?
    /// True if the thread holds or runs more than `held` and `runs` list.
    package var isPartial: Bool
    /// The stack, innermost frame first; empty if it was not captured.
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
    /// The thread runs or can run.
    case running
    /// The thread is a pool's worker without work.
    case idle
    /// The thread listens to descriptors that only this process writes to, like an idle run loop.
    case listening
    /// The thread is in a system call that ends by itself: a sleep, or another wait with a limit.
    case outside
    /// The thread waits for an event from outside, without a limit: it reads, accepts, or listens.
    case input
    /// The thread waits for an unknown object; only another thread can wake it.
    case unknown
  }

  /// A thread's wait.
  package struct Wait: Sendable, Hashable, Codable {
    /// The kind of the object.
    package var kind: ObjectKind
    /// The object; for the end of a thread, the thread's number.
    package var object: ObjectID
    /// Where the user's code made the call.
    package var place: [StackFrame]
    /// The number of frames at the end of `place` that come from the thread's stack. Threads that
    /// wait at one place need not share these frames.
    package var callers = 0
    /// `place` without the frames from the stack. Threads with equal calls wait alike.
    var call: ArraySlice<StackFrame> { place.dropLast(max(0, callers)) }
    /// True if the wait ends when its time is up.
    package var hasTimeLimit: Bool
    /// True if another process may have the object too, and end the wait.
    package var isShared = false
    /// True for a synchronous call with a barrier.
    package var isBarrier: Bool
    /// True for `concurrentPerform`: the waiting thread works too.
    package var isApply: Bool
    /// The time that the thread has waited, in seconds.
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
    /// Where the thread acquired the object; empty if that was not recorded.
    package var place: [StackFrame]
    /// The number of frames at the end of `place` that come from the thread's stack.
    package var callers = 0
    /// `place` without the frames from the stack.
    var call: ArraySlice<StackFrame> { place.dropLast(max(0, callers)) }
    /// True if a block on a pool thread acquired the object and ended without releasing it. The
    /// block that the thread runs now is not the owner.
    package var isLeft: Bool
    /// The task that has left the thread at an `await` since then; `nil` for none.
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
    /// The queue of the block.
    package var queue: ObjectID
    /// Where the block was enqueued.
    package var place: [StackFrame]
    /// The thread that enqueued the block; 0 if unknown, and for a synchronous call, which the
    /// thread makes itself.
    package var enqueuedBy: Int
    /// True for a barrier: no other block of its concurrent queue runs meanwhile.
    package var isBarrier: Bool
    /// True if the block was called synchronously.
    package var isSynchronous: Bool
    /// True for a part of `concurrentPerform`.
    package var isApply: Bool
    /// True for a job of Swift Concurrency.
    package var isJob: Bool
    /// The task of a job; `nil` for none.
    package var task: ObjectID? = nil
    /// The block's work item; `nil` for none.
    package var workItem: ObjectID?
    /// The group that the block leaves at its end; `nil` for none.
    package var group: ObjectID?
    /// A number shared by blocks with the same code; 0 if the code is unknown.
    package var code: UInt64
    /// A number shared by blocks that certainly begin with the same wait for the same object; 0 if
    /// that is not known of this block.
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
