package import Interlock
import ProcessInspection

/// An unstructured task that has not ended, `Task { }` or `Task.detached`, or a thread; or a queue,
/// a source, a delayed block or a lock that was left.
package struct LiveTask: Sendable, Hashable {
  /// The kinds of what code makes and can leave.
  package enum Kind: Sendable, Hashable {
    case task, thread
    /// A queue that is suspended, or was not activated.
    case queue
    /// A dispatch source, or one that is a timer, which was neither cancelled nor released.
    case source, timer
    /// A block that is queued at a later time, and has not begun.
    case delayedBlock
    /// A lock whose code has ended. Its maker is the place that acquired it, and the place of its
    /// wait the one that made it.
    case lock
  }

  /// The activity of a task, as far as it is known.
  package enum State: Sendable, Hashable {
    /// The task waits for a continuation that was not resumed yet.
    case continuation
    /// The task waits for the next element of an `AsyncStream`.
    case stream
    /// The task waits for the end of another task.
    case task
    /// The task waits for the tasks of its group, or runs in the group's scope.
    case taskGroup
    /// The task waits to enter an actor, of this type if that is known.
    case actor(String?)
    /// The task sleeps.
    case sleep
    /// The task has called an asynchronous function that has not returned.
    case call
    /// A thread, or a task with its thread, waits for this object.
    case object(WaitSnapshot.ObjectKind)
    /// None of these: the task runs, or is queued; a thread may wait for the system.
    case none
    /// A queue or a source is suspended.
    case suspended
    /// A queue or a source was not activated.
    case inactive
    /// A source is active.
    case active
    /// A delayed block has not begun.
    case delayed
    /// A lock is held.
    case held
  }

  /// The wait of a task or thread.
  package struct Wait: Sendable, Hashable {
    /// The object or event that the task waits for.
    package var state: State
    /// The line of the `await`.
    package var place: [StackFrame] = []

    /// Describes a wait.
    package init(_ state: State, at place: [StackFrame] = []) {
      self.state = state
      self.place = place
    }
  }

  /// A task that the task has made in a group.
  package struct Child: Sendable, Hashable {
    /// The place that made it.
    package var maker: [StackFrame]
    /// The child's wait.
    package var wait: Wait

    /// Describes a child.
    package init(maker: [StackFrame], wait: Wait) {
      self.maker = maker
      self.wait = wait
    }
  }

  /// The task's number, which no other task of the process has.
  package var number: UInt64
  /// Its kind.
  package var kind: Kind
  /// Whether the thread that describes it runs it.
  package var isRunning = false
  /// The place that made it: where a report begins.
  package var maker: [StackFrame]
  /// The task's wait.
  package var wait: Wait
  /// The task's suspended children in task groups.
  package var children: [Child]

  /// Describes a task.
  package init(
    number: UInt64, kind: Kind = .task, maker: [StackFrame], wait: Wait, children: [Child] = []
  ) {
    self.number = number
    self.kind = kind
    self.maker = maker
    self.wait = wait
    self.children = children
  }

  /// Whether it is neither a task nor a thread.
  package var isObject: Bool { kind != .task && kind != .thread }

  /// The first line of the user's code that made it; `nil` if it is not known.
  package var place: StackFrame? {
    maker.first { !$0.isSystem && $0.file != nil && $0.line ?? 0 > 0 }
  }
}

extension LiveTask {
  /// The addresses of all frames, to be symbolicated.
  var addresses: Set<UInt> {
    let frames = maker + wait.place + children.flatMap { $0.maker + $0.wait.place }
    return Set(frames.map(\.address))
  }

  /// The task with every frame replaced by the symbols of its address.
  func named(_ names: [UInt: [StackFrame]]) -> LiveTask {
    func named(_ frames: [StackFrame]) -> [StackFrame] {
      frames.flatMap { names[$0.address] ?? [$0] }
    }
    var copy = self
    copy.maker = named(maker)
    copy.wait.place = named(wait.place)
    copy.children = children.map {
      Child(maker: named($0.maker), wait: Wait($0.wait.state, at: named($0.wait.place)))
    }
    return copy
  }
}
