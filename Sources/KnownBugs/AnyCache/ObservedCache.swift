package import Caches
package import LockStrategies

/// A cache that tells an observer what it is about to store, while it holds its lock.
///
/// TMCache's `willAddObjectBlock` is called so, inside the barrier, and PINDiskCache 2's under its
/// semaphore. Whatever the observer does, it does under the lock; and whoever it wakes comes while
/// the lock is held.
package final class ObservedCache<Strategy: Lock>: Cache {
  private let lock: Strategy
  private let storage = Storage(isLocked: true)
  private let willStore: @Sendable (String) -> Void

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - lock: The lock, which nothing else may use.
  ///   - willStore: Told of a key under the lock, before its value is stored.
  package init(_ lock: Strategy, willStore: @escaping @Sendable (_ key: String) -> Void) {
    self.lock = lock
    self.willStore = willStore
  }

  /// The value under a key; notes the access.
  package func value(forKey key: String) -> [UInt8]? {
    lock.withLock {
      guard let value = storage.value(forKey: key) else { return nil }
      storage.touch(key)
      return value
    }
  }

  /// Tells the observer, and stores a value.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock {
      willStore(key)
      storage.setValue(value, forKey: key, cost: cost)
    }
  }

  /// Removes a value.
  package func removeValue(forKey key: String) {
    lock.withLock { storage.removeValue(forKey: key) }
  }

  /// Removes every value.
  package func removeAllValues() {
    lock.withLock { storage.removeAllValues() }
  }

  /// How many values there are.
  package var count: Int {
    lock.withLock { storage.count }
  }

  /// What all values cost together.
  package var totalCost: Int? {
    lock.withLock { storage.totalCost }
  }

  /// What is stored.
  package func entries() -> [String: CacheEntry]? {
    lock.withLock { storage.entries() }
  }
}
