extension InterlockTrait {
  /// The consequence if tasks or threads that a test creates outlive it, or if the test leaves a
  /// held lock, a suspended queue, a dispatch source or a delayed block behind.
  ///
  /// A source counts as left until it is cancelled or released. None by default: a test may be the
  /// first to use an object shared by the whole process, whose tasks are meant to go on.
  public struct Leaks: Sendable, Hashable {
    enum Action: Sendable, Hashable { case none, warning, failure }

    let action: Action
    let grace: Duration
    let allowed: [String]

    /// Tasks, threads and objects may outlive the test.
    public static let ignored = Leaks(action: .none, grace: .zero, allowed: [])

    /// A task, thread or object that outlives its test is a warning, after one second of grace.
    public static var warn: Self { .warn() }

    /// A task, thread or object that outlives its test is a warning.
    ///
    /// - Parameters:
    ///   - grace: The longest time that the test waits for them to end. The wait ends when all have
    ///     ended. A test does not wait for locks.
    ///   - allowed: Files or functions in which tasks, threads and objects that may outlive a test
    ///     are created or wait, and in which locks that it may leave are acquired: `Feed.swift`,
    ///     `start()`, `Feed.start`, `Feed.start(at:)`.
    /// - Returns: The value.
    public static func warn(
      grace: Duration = .seconds(1), allowing allowed: [String] = []
    ) -> Self {
      Self(action: .warning, grace: grace, allowed: allowed)
    }

    /// A task, thread or object that outlives its test fails the test, after one second of grace.
    public static var fail: Self { .fail() }

    /// A task, thread or object that outlives its test fails the test.
    ///
    /// - Parameters:
    ///   - grace: The longest time that the test waits for them to end. The wait ends when all have
    ///     ended. A test does not wait for locks.
    ///   - allowed: Files or functions in which tasks, threads and objects that may outlive a test
    ///     are created or wait, and in which locks that it may leave are acquired: `Feed.swift`,
    ///     `start()`, `Feed.start`, `Feed.start(at:)`.
    /// - Returns: The value.
    public static func fail(
      grace: Duration = .seconds(1), allowing allowed: [String] = []
    ) -> Self {
      Self(action: .failure, grace: grace, allowed: allowed)
    }
  }
}
