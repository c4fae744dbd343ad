/// Something that a scenario can drive: a cache over a lock strategy, or a user's own type.
///
/// A new subject is made for each trial, in the trial's own process. It is called from as many
/// threads or tasks at once as the scenario says: that is what is being tested.
public protocol Subject: AnyObject, Sendable {
  /// Whether the subject has this form of call; a scenario that needs another is `skipped`.
  func supports(_ kind: Operation.Kind) -> Bool

  /// Performs one call, and calls `completion` exactly once with what it gave.
  ///
  /// A synchronous form calls `completion` before it returns; an asynchronous one, whenever it is
  /// done. A subject that has `async` functions only may complete every kind of call later.
  func perform(_ operation: Operation, completion: @escaping @Sendable (Reply) -> Void)

  /// Performs one call from a task. The default calls `perform(_:completion:)` on the task's own
  /// thread and suspends until the completion; a subject with native `async` functions awaits them.
  func perform(_ operation: Operation) async -> Reply

  /// What the subject says of itself when the workload has ended and nothing is under way.
  ///
  /// Called once, on a thread of its own that is in no pool.
  func finalState() -> FinalState?
}

extension Subject {
  /// Every kind of call that caches have is supported, and none of the subject's own, unless it
  /// says otherwise.
  public func supports(_ kind: Operation.Kind) -> Bool {
    if case .action = kind { return false }
    return true
  }

  /// Suspends until `perform(_:completion:)` has completed. A second completion traps, with a
  /// message.
  public func perform(_ operation: Operation) async -> Reply {
    await withCheckedContinuation { continuation in
      perform(operation) { continuation.resume(returning: $0) }
    }
  }

  /// Nothing to check.
  public func finalState() -> FinalState? { nil }
}
