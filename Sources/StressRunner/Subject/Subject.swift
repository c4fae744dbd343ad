/// Something that a scenario can drive: a cache over a lock strategy, or a user's own type.
///
/// A new subject is made for each trial, in the trial's own process. It is called from as many
/// threads or tasks at once as the scenario says: that is what is being tested.
public protocol Subject: AnyObject, Sendable {
  /// Whether the subject has this form of call; a scenario that needs another is `skipped`.
  func supports(_ kind: Operation.Kind) -> Bool

  /// Performs one call, and calls `completion` exactly once with what it gave.
  ///
  /// A synchronous form calls `completion` before it returns; an asynchronous one, whenever it is done.
  /// A subject that has `async` functions only may complete every kind of call later.
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
  /// Every kind of call is supported, unless the subject says otherwise.
  public func supports(_ kind: Operation.Kind) -> Bool { true }

  /// Suspends until `perform(_:completion:)` has completed. A second completion traps, with a message.
  public func perform(_ operation: Operation) async -> Reply {
    await withCheckedContinuation { continuation in
      perform(operation) { continuation.resume(returning: $0) }
    }
  }

  /// Nothing to check.
  public func finalState() -> FinalState? { nil }
}

/// A subject's state at rest, for the oracles.
public struct FinalState: Sendable, Hashable {
  /// How many entries the subject says it holds.
  public var count: Int
  /// What the subject says that its entries cost together; `nil` where it keeps no cost.
  public var totalCost: Int?
  /// The entries themselves: key and cost.
  public var entries: [String: Int]
  /// The values under those keys.
  public var values: [String: [UInt8]]

  /// Describes a state.
  public init(
    count: Int, totalCost: Int? = nil, entries: [String: Int], values: [String: [UInt8]] = [:]
  ) {
    self.count = count
    self.totalCost = totalCost
    self.entries = entries
    self.values = values
  }
}

/// A subject by name, and how to make a fresh one.
public struct SubjectEntry: Sendable {
  /// The name on the command line, in scenarios and in reports: lower case, words joined by hyphens.
  public var name: String
  /// One line for `interlock list`: how it works.
  public var summary: String
  /// Makes a fresh subject; called once a trial, in the child process.
  public var make: @Sendable () -> any Subject

  /// Names a subject.
  public init(name: String, summary: String, make: @escaping @Sendable () -> any Subject) {
    self.name = name
    self.summary = summary
    self.make = make
  }
}
