package import Interlock
import ProcessInspection

/// Something that outlives its code: an unstructured task (`Task { }` or `Task.detached`) or thread
/// that has not ended, or a queue, a source, a delayed block or a lock that was left.
package struct LiveTask: Sendable, Hashable {
  /// The kinds of things that code can leave behind.
  package enum Kind: Sendable, Hashable {
    case task, thread
    /// A queue that is suspended or was never activated.
    case queue
    /// A dispatch source, or a timer source, that was neither cancelled nor released.
    case source, timer
    /// A block that is queued for a later time and has not begun.
    case delayedBlock
    /// A lock whose owner's code has ended. `maker` is the place that acquired the lock, and
    /// `wait.place` the place that created it.
    case lock
  }

  /// The known activity of a task, thread or object.
  package enum State: Sendable, Hashable {
    /// The task waits for a continuation that was not resumed yet.
    case continuation
    /// The task waits for the next element of an `AsyncStream`.
    case stream
    /// The task waits for the end of another task.
    case task
    /// The task waits for the tasks of its group, or runs in the group's scope.
    case taskGroup
    /// The task waits to enter an actor of this type; `nil` if the type is unknown.
    case actor(String?)
    /// The task sleeps.
    case sleep
    /// The task has called an asynchronous function that has not returned.
    case call
    /// A thread, or a task with its thread, waits for this object.
    case object(WaitSnapshot.ObjectKind)
    /// None of the above: a task runs or is queued; a thread may wait for the system.
    case none
    /// A queue or a source is suspended.
    case suspended
    /// A queue or a source was never activated.
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
    /// The object or event that the task or thread waits for.
    package var state: State
    /// The line of the `await`.
    package var place: [StackFrame] = []

    /// Describes a wait.
    package init(_ state: State, at place: [StackFrame] = []) {
      self.state = state
      self.place = place
    }
  }

  /// A task that the task has created in a group.
  package struct Child: Sendable, Hashable {
    /// The place that created the child.
    package var maker: [StackFrame]
    /// The child's wait.
    package var wait: Wait

    /// Describes a child.
    package init(maker: [StackFrame], wait: Wait) {
      self.maker = maker
      self.wait = wait
    }
  }

  /// The number of the task, unique in the process.
  package var number: UInt64
  /// The kind.
  package var kind: Kind
  /// True if the task is run by the thread that describes it.
  package var isRunning = false
  /// The place that created the task, thread or object. A report begins there.
  package var maker: [StackFrame]
  /// The wait of the task.
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

  /// True for kinds other than tasks and threads.
  package var isObject: Bool { kind != .task && kind != .thread }

  /// The first line of user code in `maker`; `nil` if unknown.
  package var place: StackFrame? {
    maker.first { !$0.isSystem && $0.file != nil && $0.line ?? 0 > 0 }
  }
}

extension LiveTask {
  /// The addresses of all frames, for symbolication.
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
