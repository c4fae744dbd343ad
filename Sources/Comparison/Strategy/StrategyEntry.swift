public import LockStrategies
public import StressRunner

/// A named way to guard shared memory, and how to make the work that measures it.
///
///     static let strategies =
///       StrategyEntry.builtIn + [.lock("mine", "a lock of mine") { MyLock() }]
public struct StrategyEntry: Sendable {
  /// The name on the command line and in reports: lower case, words joined by hyphens.
  public var name: String
  /// One line: how it works.
  public var summary: String
  /// Whether it takes part if none is named; intentionally faulty controls do not.
  public var runsUnlisted: Bool

  /// Makes a guarded table.
  package var makeWork: @Sendable (SharedTable) -> Work
  /// Makes a guarded table as a subject of trials.
  package var makeSubject: @Sendable (SharedTable) -> any Subject
  /// Makes a lock; `nil` for a strategy that is not a lock.
  package var makeLock: (@Sendable () -> any Lock)?
  /// Makes a lock, acquires it once, and returns an object that retains it.
  package var makeUsed: (@Sendable () -> any Sendable)?

  @usableFromInline
  init(
    name: String, summary: String, runsUnlisted: Bool,
    makeWork: @escaping @Sendable (SharedTable) -> Work,
    makeSubject: @escaping @Sendable (SharedTable) -> any Subject,
    makeLock: (@Sendable () -> any Lock)? = nil,
    makeUsed: (@Sendable () -> any Sendable)?
  ) {
    self.name = name
    self.summary = summary
    self.runsUnlisted = runsUnlisted
    self.makeWork = makeWork
    self.makeSubject = makeSubject
    self.makeLock = makeLock
    self.makeUsed = makeUsed
  }

  /// Lists a lock.
  ///
  /// - Parameters:
  ///   - name: The name on the command line and in reports: lower case, words joined by hyphens.
  ///   - summary: One line: how it works.
  ///   - runsUnlisted: Whether it takes part if none is named.
  ///   - make: Makes a free lock; called for each measured round, and in child processes.
  /// - Returns: The strategy's entry.
  @inlinable
  public static func lock<Strategy: Lock>(
    _ name: String, _ summary: String, runsUnlisted: Bool = true,
    _ make: @escaping @Sendable () -> Strategy
  ) -> StrategyEntry {
    StrategyEntry(
      name: name, summary: summary, runsUnlisted: runsUnlisted,
      makeWork: { .synchronous(LockedTable(make(), $0)) },
      makeSubject: { tableSubject(make(), $0) },
      makeLock: make,
      makeUsed: {
        let lock = make()
        lock.withLock {}
        lock.withSharedLock {}
        return lock
      })
  }
}

/// A locked table as a subject of trials.
@usableFromInline
func tableSubject(_ lock: some Lock, _ table: SharedTable) -> any Subject {
  TableSubject(lock, table)
}
