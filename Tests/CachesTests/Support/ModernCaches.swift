import Caches
import KnownBugs
import Foundation
import LockStrategies
import Testing

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

/// An asynchronous cache by name, and how to make one.
struct AsyncCacheCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var make: @Sendable () -> any AsyncCache

  /// All asynchronous caches; those that load have an empty origin.
  static let all = [
    AsyncCacheCase(testDescription: "ActorCache") { ActorCache() },
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

/// Runs `body` with a new folder, and removes it.
func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("interlock-" + UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}
