import Caches
import KnownBugs
import LockStrategies

extension CacheCase {
  /// The caches of today's Swift whose native form is synchronous, and those of the recipes.
  static let modern = [
    CacheCase("FoundationCache") { FoundationCache() },
    CacheCase("FoundationCache, repaired") {
      FoundationCache(repairs: [.callsOutsideLocks, .evictsOldest])
    },
    CacheCase("MarkedTable") { MarkedTable(repaired: false) },
    CacheCase("MarkedTable, repaired") { MarkedTable(repaired: true) },
    CacheCase("SharedValueCache") { SharedValueCache(repaired: false) },
    CacheCase("SharedValueCache, repaired") { SharedValueCache(repaired: true) },
    CacheCase("CountingCache") { CountingCache(repaired: false) },
    CacheCase("CountingCache, repaired") { CountingCache(repaired: true) },
    CacheCase("ObservedCache") { ObservedCache(PthreadMutexLock()) { _ in } },
  ]
}

extension AsyncCacheCase {
  /// The asynchronous caches; those that load have an empty origin.
  static let all = [
    AsyncCacheCase(testDescription: "LoadingCache without an origin") {
      LoadingCache(over: nil, repaired: false)
    },
    AsyncCacheCase(testDescription: "LoadingCache, repaired") {
      LoadingCache(over: nil, repaired: true)
    },
    AsyncCacheCase(testDescription: "StreamCache") { StreamCache(repaired: false) },
    AsyncCacheCase(testDescription: "StreamCache, repaired") { StreamCache(repaired: true) },
  ]
}
