import Caches
import Dispatch
import LockStrategies

extension CacheCase {
  /// Every synchronous cache except the reentrant one, which traps.
  static let builtIn =
    LockCase.excluding.map { strategy in
      CacheCase("LockedCache<\(strategy.testDescription)>") { lockedCache(strategy.make()) }
    } + [
      CacheCase("UnlockedCache") { UnlockedCache() },
      CacheCase("SerialQueueCache over the shared pool") { SerialQueueCache(target: .global()) },
      CacheCase("SerialQueueCache of its own") { SerialQueueCache(target: nil) },
      CacheCase("SemaphoreOverAsyncCache, concurrent") {
        SemaphoreOverAsyncCache(attributes: .concurrent)
      },
      CacheCase("SemaphoreOverAsyncCache, serial") { SemaphoreOverAsyncCache(attributes: []) },
      CacheCase("TaskSemaphoreCache") { TaskSemaphoreCache() },
    ]

  /// The built-in caches, and a user's cache.
  static let all =
    builtIn + [CacheCase("five methods of one's own") { FiveMethods() }]
}

extension AsyncCacheCase {
  /// The asynchronous caches.
  static let all = [AsyncCacheCase(testDescription: "ActorCache") { ActorCache() }]
}

private func lockedCache(_ lock: some Lock) -> any Cache { LockedCache(lock) }

/// A user's cache with only the required members.
final class FiveMethods: Cache {
  private let lock = PthreadMutexLock()
  // Accessed only under the lock.
  nonisolated(unsafe) private var values: [String: [UInt8]] = [:]

  func value(forKey key: String) -> [UInt8]? { lock.withLock { values[key] } }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { values[key] = value }
  }
  func removeValue(forKey key: String) { lock.withLock { values[key] = nil } }
  func removeAllValues() { lock.withLock { values = [:] } }
  var count: Int { lock.withLock { values.count } }
}
