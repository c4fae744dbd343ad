import Caches
public import Comparison
public import LockStrategies
public import StressRunner

extension SubjectEntry {
  /// Creates the entry of a lock. A dictionary under the lock becomes an instrumented cache, and
  /// `compare` measures the lock next to the built-in ones.
  ///
  /// - Parameters:
  ///   - name: The name on the command line, in scenarios and in reports: lower case, words joined
  ///     by hyphens.
  ///   - summary: A description in one line, for `interlock list`.
  ///   - make: Creates an unlocked lock. Called for each trial, in the trial's own process, and
  ///     for each measured round.
  /// - Returns: The subject's entry.
  @inlinable
  public static func lock<Strategy: Lock>(
    _ name: String, _ summary: String = "a dictionary under this executable's own lock",
    _ make: @escaping @Sendable () -> Strategy
  ) -> SubjectEntry {
    lock(.lock(name, summary, make)) { make() }
  }

  /// Adds the strategy to the entry of a cache under its lock.
  @usableFromInline
  static func lock(
    _ strategy: StrategyEntry, _ make: @escaping @Sendable () -> some Lock
  ) -> SubjectEntry {
    var entry = SubjectEntry.cache(strategy.name, strategy.summary) { LockedCache(make()) }
    entry.strategy = strategy
    return entry
  }
}
