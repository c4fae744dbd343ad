package import Interlock

extension WaitSnapshot {
  /// A suspended task that waits for other tasks to end, or to enter an actor.
  package struct Await: Sendable, Hashable, Codable {
    /// The task.
    package var task: ObjectID
    /// The kind of the wait: `task`, `taskGroup` or `actor`.
    package var kind: ObjectKind
    /// The other task or the actor; for a group, the waiting task itself.
    package var object: ObjectID
    /// The line of the `await`.
    package var place: [StackFrame]
    /// The task that created this one in a task group; `nil` for a task in no group.
    package var parentTask: ObjectID?

    /// Describes a task that waits.
    package init(
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
