extension WaitSnapshot {
  /// What a thread did before the snapshot, sampled about 25 times a second.
  public struct Activity: Sendable, Hashable, Codable {
    /// A stretch of time in which every sample found the same.
    public struct Span: Sendable, Hashable, Codable {
      /// The first sample that found it, in seconds before the snapshot: larger than `to`.
      public var from: Double
      /// The last sample that found it; 0 for the snapshot itself.
      public var to: Double
      /// What it waited for; `nil` if it ran, or was in a system call.
      public var kind: ObjectKind?
      /// The object that it waited for; 0 for none.
      public var object: ObjectID

      /// Describes a stretch.
      public init(from: Double, to: Double, kind: ObjectKind?, object: ObjectID) {
        self.from = from
        self.to = to
        self.kind = kind
        self.object = object
      }
    }

    /// The thread's number.
    public var thread: Int
    /// The stretches, oldest first.
    public var spans: [Span]

    /// Describes a thread.
    public init(thread: Int, spans: [Span]) {
      self.thread = thread
      self.spans = spans
    }
  }
}
