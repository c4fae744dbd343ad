public import Interlock

extension WaitSnapshot {
  /// A suspended task that waits for the ends of other tasks, or to enter an actor.
  public struct Await: Sendable, Hashable, Codable {
    /// The task.
    public var task: ObjectID
    /// What it waits for: `task`, `taskGroup` or `actor`.
    public var kind: ObjectKind
    /// The other task, or the actor; for a group, the waiting task itself.
    public var object: ObjectID
    /// The line of the `await`.
    public var place: [StackFrame]
    /// The task that made it in a task group; `nil` for a task in none.
    public var parentTask: ObjectID?

    /// Describes a task that waits.
    public init(
      task: ObjectID, kind: ObjectKind, object: ObjectID, place: [StackFrame] = [],
      parentTask: ObjectID? = nil
    ) {
      self.task = task
      self.kind = kind
      self.object = object
      self.place = place
      self.parentTask = parentTask
    }
  }
}
