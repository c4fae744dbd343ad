public import Interlock

extension WaitSnapshot {
  /// A lock that a thread held when it ended.
  public struct LeftLock: Sendable, Hashable, Codable {
    /// The kind of the lock.
    public var kind: ObjectKind
    /// The lock.
    public var object: ObjectID
    /// Where it was acquired.
    public var place: [StackFrame]
    /// The number of the thread that has ended.
    public var thread: Int
    /// The name of that thread, as the system had it.
    public var threadName: String

    /// Describes a lock.
    public init(
      kind: ObjectKind, object: ObjectID, place: [StackFrame] = [], thread: Int,
      threadName: String = ""
    ) {
      self.kind = kind
      self.object = object
      self.place = place
      self.thread = thread
      self.threadName = threadName
    }
  }
}
