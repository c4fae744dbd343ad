import InterlockStress

/// A cache with calls of its own, as a subject; a base subject makes the calls that every cache
/// has.
final class ActingSubject: Subject {
  /// One of the cache's own calls; it completes exactly once, unless the cache's bug prevents that.
  typealias Action =
    @Sendable (InterlockStress.Operation, @escaping @Sendable (Reply) -> Void) -> Void

  private let base: any Subject
  private let actions: [String: Action]
  private let complete: @Sendable (inout FinalState) -> Void

  /// A subject over a cache.
  ///
  /// - Parameters:
  ///   - base: Makes the calls that every cache has.
  ///   - actions: The cache's own calls, by their names.
  ///   - complete: Adds the state that only this cache has to the final state.
  init(
    _ base: SubjectEntry, actions: [String: Action] = [:],
    state complete: @escaping @Sendable (inout FinalState) -> Void = { _ in }
  ) {
    self.base = base.make()
    self.actions = actions
    self.complete = complete
  }

  func supports(_ kind: Operation.Kind) -> Bool {
    if case .action(let name) = kind { return actions[name] != nil }
    return base.supports(kind)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard case .action(let name) = operation.kind, let action = actions[name] else {
      return base.perform(operation, completion: completion)
    }
    action(operation, completion)
  }

  func perform(_ operation: InterlockStress.Operation) async -> Reply {
    guard case .action(let name) = operation.kind, let action = actions[name] else {
      return await base.perform(operation)
    }
    return await withCheckedContinuation { continuation in
      action(operation) { continuation.resume(returning: $0) }
    }
  }

  func finalState() -> FinalState? {
    guard var state = base.finalState() else { return nil }
    complete(&state)
    return state
  }
}
