extension InterlockTrait {
  /// The consequence if a test ends and tasks or threads that it has made have not ended, or it has
  /// left a lock held, a queue suspended, a dispatch source or a delayed block.
  ///
  /// A source is left until it is cancelled or released. None by default: a test may be the first
  /// to use an object of the whole process, whose tasks are meant to go on.
  public struct Leaks: Sendable, Hashable {
    enum Action: Sendable, Hashable { case none, warning, failure }

    let action: Action
    let grace: Duration
    let allowed: [String]

    /// Tasks, threads and objects may outlive the test.
    public static let ignored = Leaks(action: .none, grace: .zero, allowed: [])

    /// A task, thread or object that outlives its test is a warning, after a grace of a second.
    public static var warn: Self { .warn() }

    /// A task, thread or object that outlives its test is a warning.
    ///
    /// - Parameters:
    ///   - grace: How long the test waits for what is about to end. The wait is over when the last
    ///     of it has ended. A test does not wait for locks.
    ///   - allowed: Where that may be made, or may wait, which outlives a test, or where a lock may
    ///     be acquired: a file's name,
    ///     `Feed.swift`, or a function's, `start()`, `Feed.start`, `Feed.start(at:)`.
    /// - Returns: The value.
    public static func warn(
      grace: Duration = .seconds(1), allowing allowed: [String] = []
    ) -> Self {
      Self(action: .warning, grace: grace, allowed: allowed)
    }

    /// A task, thread or object that outlives its test fails the test, after a grace of a second.
    public static var fail: Self { .fail() }

    /// A task, thread or object that outlives its test fails the test.
    ///
    /// - Parameters:
    ///   - grace: How long the test waits for what is about to end. The wait is over when the last
    ///     of it has ended. A test does not wait for locks.
    ///   - allowed: Where that may be made, or may wait, which outlives a test, or where a lock may
    ///     be acquired: a file's name,
    ///     `Feed.swift`, or a function's, `start()`, `Feed.start`, `Feed.start(at:)`.
    /// - Returns: The value.
    public static func fail(
      grace: Duration = .seconds(1), allowing allowed: [String] = []
    ) -> Self {
      Self(action: .failure, grace: grace, allowed: allowed)
    }
  }
}
