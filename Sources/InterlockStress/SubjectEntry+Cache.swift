public import Caches
public import StressRunner

extension SubjectEntry {
  /// Lists a cache whose native form is synchronous.
  ///
  /// - Parameters:
  ///   - name: The name on the command line, in scenarios and in reports: lower case, words joined
  ///     by hyphens.
  ///   - summary: One line for `interlock list`: how it works.
  ///   - make: Makes an empty cache; called once a trial, in the trial's own process.
  /// - Returns: The subject, to be listed.
  public static func cache(
    _ name: String, _ summary: String, _ make: @escaping @Sendable () -> some Caches.Cache
  ) -> SubjectEntry {
    SubjectEntry(name: name, summary: summary, isMemoryCache: true) { CacheSubject(make()) }
  }

  /// Lists a cache whose native form is `async`: an actor, most often.
  ///
  /// - Parameters:
  ///   - name: The name on the command line, in scenarios and in reports: lower case, words joined
  ///     by hyphens.
  ///   - summary: One line for `interlock list`: how it works.
  ///   - make: Makes an empty cache; called once a trial, in the trial's own process.
  /// - Returns: The subject, to be listed.
  public static func cache(
    _ name: String, _ summary: String, _ make: @escaping @Sendable () -> some Caches.AsyncCache
  ) -> SubjectEntry {
    SubjectEntry(name: name, summary: summary, isMemoryCache: true) { AsyncCacheSubject(make()) }
  }
}
