public import Interlock

extension WaitSnapshot {
  /// A call for something that its own thread holds, reported before it traps or hangs: a
  /// synchronous call on a queue that the thread is on, or the lock of a Swift mutex.
  public struct SelfWait: Sendable, Hashable, Codable {
    /// The thread.
    public var thread: Int
    /// What the call waits for: a queue, or a Swift mutex.
    public var kind: ObjectKind
    /// The object.
    public var object: ObjectID
    /// The call.
    public var place: [StackFrame]
    /// What put the thread on the queue: the outer call, or the line that enqueued its block. Empty
    /// for a mutex.
    public var firstPlace: [StackFrame]
    /// Whether the call ends the process, instead of waiting for ever.
    public var traps: Bool

    /// Describes a call.
    public init(
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
