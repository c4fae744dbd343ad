public import Caches
public import StressRunner

extension SubjectEntry {
  /// Creates the entry of a cache whose native form is synchronous.
  ///
  /// - Parameters:
  ///   - name: The name on the command line, in scenarios and in reports: lower case, words joined
  ///     by hyphens.
  ///   - summary: A description in one line, for `interlock list`.
  ///   - make: Creates an empty cache. Called once per trial, in the trial's own process.
  /// - Returns: The subject's entry.
  public static func cache(
    _ name: String, _ summary: String, _ make: @escaping @Sendable () -> some Caches.Cache
  ) -> SubjectEntry {
    SubjectEntry(name: name, summary: summary, isMemoryCache: true) { CacheSubject(make()) }
  }

  /// Creates the entry of a cache whose native form is `async`, usually an actor.
  ///
  /// - Parameters:
  ///   - name: The name on the command line, in scenarios and in reports: lower case, words joined
  ///     by hyphens.
  ///   - summary: A description in one line, for `interlock list`.
  ///   - make: Creates an empty cache. Called once per trial, in the trial's own process.
  /// - Returns: The subject's entry.
  public static func cache(
    _ name: String, _ summary: String, _ make: @escaping @Sendable () -> some Caches.AsyncCache
  ) -> SubjectEntry {
    SubjectEntry(name: name, summary: summary, isMemoryCache: true) { AsyncCacheSubject(make()) }
  }
}
