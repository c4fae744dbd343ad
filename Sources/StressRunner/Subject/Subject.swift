/// Something that a scenario can drive: a cache over a lock strategy, or a user's own type.
///
/// Each trial creates a new subject in its own process, and calls it from as many threads or tasks
/// at once as the scenario states.
public protocol Subject: AnyObject, Sendable {
  /// True if the subject supports this kind of call. A scenario that needs an unsupported kind is
  /// `skipped`.
  func supports(_ kind: Operation.Kind) -> Bool

  /// Performs one call, and calls `completion` exactly once with the result.
  ///
  /// A synchronous kind calls `completion` before it returns; an asynchronous kind may call it
  /// later. A subject with only `async` functions may complete every kind later.
  func perform(_ operation: Operation, completion: @escaping @Sendable (Reply) -> Void)

  /// Performs one call from a task.
  ///
  /// The default calls `perform(_:completion:)` on the task's own thread and suspends until the
  /// completion. A subject with native `async` functions awaits them instead.
  func perform(_ operation: Operation) async -> Reply

  /// Returns the subject's state after the workload has ended and no call is under way.
  ///
  /// Called once, on a dedicated thread outside all pools.
  func finalState() -> FinalState?
}

extension Subject {
  /// Returns true for every kind of call that caches have, and false for subject-specific calls.
  public func supports(_ kind: Operation.Kind) -> Bool {
    if case .action = kind { return false }
    return true
  }

  /// Suspends until `perform(_:completion:)` has completed. A second completion traps with a
  /// message.
  public func perform(_ operation: Operation) async -> Reply {
    await withCheckedContinuation { continuation in
      perform(operation) { continuation.resume(returning: $0) }
    }
  }

  /// Returns `nil`: there is no state to check.
  public func finalState() -> FinalState? { nil }
}
