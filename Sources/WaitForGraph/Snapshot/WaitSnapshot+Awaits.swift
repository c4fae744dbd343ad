public import Interlock

extension WaitSnapshot {
  /// A task that has given its thread up until another task ends, or until it may enter an actor.
  public struct Await: Sendable, Hashable, Codable {
    /// The task.
    public var task: ObjectID
    /// What it waits for: `task` or `actor`.
    public var kind: ObjectKind
    /// The other task, or the actor.
    public var object: ObjectID
    /// The line of the `await`.
    public var place: [StackFrame]

    /// Describes a task that waits.
    public init(task: ObjectID, kind: ObjectKind, object: ObjectID, place: [StackFrame] = []) {
      self.task = task
      self.kind = kind
      self.object = object
      self.place = place
    }
  }
}
