package import Interlock

extension WaitSnapshot {
  /// A lock that a thread held when it ended.
  package struct LeftLock: Sendable, Hashable, Codable {
    /// The kind of the lock.
    package var kind: ObjectKind
    /// The lock.
    package var object: ObjectID
    /// The place that acquired the lock.
    package var place: [StackFrame]
    /// The number of the thread that has ended.
    package var thread: Int
    /// The system's name of that thread.
    package var threadName: String
    /// The task that left the thread at an `await` with the lock held; `nil` for none.
    package var leftBy: ObjectID?

    /// Describes a lock.
    package init(
      kind: ObjectKind, object: ObjectID, place: [StackFrame] = [], thread: Int,
      threadName: String = "", leftBy: ObjectID? = nil
    ) {
      self.kind = kind
      self.object = object
      self.place = place
      self.thread = thread
      self.threadName = threadName
      self.leftBy = leftBy
    }
  }
}
