package import Interlock

extension WaitSnapshot {
  /// A thread's wait for an object that it holds itself: a synchronous call on a queue that the
  /// thread runs on, or the lock of a Swift mutex. Reported before it traps or hangs.
  package struct SelfWait: Sendable, Hashable, Codable {
    /// The thread.
    package var thread: Int
    /// The kind of the object: a queue or a Swift mutex.
    package var kind: ObjectKind
    /// The object.
    package var object: ObjectID
    /// The call.
    package var place: [StackFrame]
    /// The call that put the thread on the queue: the outer synchronous call, or the line that
    /// enqueued the thread's block. Empty for a mutex.
    package var firstPlace: [StackFrame]
    /// True if the call ends the process instead of waiting forever.
    package var traps: Bool

    /// Describes a call.
    package init(
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
}
