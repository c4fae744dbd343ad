extension WaitSnapshot {
  /// What a thread did up to the moment of the snapshot, as far as it was looked at: about 25 times
  /// a second.
  public struct Activity: Sendable, Hashable, Codable {
    /// A stretch of time in which every look found the same.
    public struct Span: Sendable, Hashable, Codable {
      /// From when to when, in seconds before the snapshot; `from` is the larger.
      public var from: Double
      /// The last look that found it; 0 for the snapshot itself.
      public var to: Double
      /// What it waited for; `nil` where it ran, or was in a system call.
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
