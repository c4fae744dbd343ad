extension WaitSnapshot {
  /// The activity of a thread before the snapshot, sampled about 25 times a second.
  package struct Activity: Sendable, Hashable, Codable {
    /// A stretch of time in which every sample found the same wait.
    package struct Span: Sendable, Hashable, Codable {
      /// The time of the first sample with this wait, in seconds before the snapshot. Larger than
      /// `to`.
      package var from: Double
      /// The time of the last sample with this wait; 0 for the snapshot itself.
      package var to: Double
      /// The kind of object that the thread waited for; `nil` if it ran, or was in a system call.
      package var kind: ObjectKind?
      /// The object that the thread waited for; 0 for none.
      package var object: ObjectID

      /// Describes a stretch.
      package init(from: Double, to: Double, kind: ObjectKind?, object: ObjectID) {
        self.from = from
        self.to = to
        self.kind = kind
        self.object = object
      }
    }

    /// The thread's number.
    package var thread: Int
    /// The stretches, oldest first.
    package var spans: [Span]

    /// Describes a thread.
    package init(thread: Int, spans: [Span]) {
      self.thread = thread
      self.spans = spans
    }
  }
}
