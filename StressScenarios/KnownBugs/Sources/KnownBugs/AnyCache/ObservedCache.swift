import Caches
import LockStrategies

/// A cache that calls an observer under its lock before it stores a value.
///
/// TMCache calls its `willAddObjectBlock` in this way inside the barrier, and PINDiskCache 2 under
/// its semaphore. The observer runs under the lock, so a thread that it wakes finds the lock held.
final class ObservedCache<Strategy: Lock>: Cache {
  private let lock: Strategy
  private let storage = Storage(isLocked: true)
  private let willStore: @Sendable (String) -> Void

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - lock: The lock, which nothing else may use.
  ///   - willStore: Called under the lock with a key, before its value is stored.
  init(_ lock: Strategy, willStore: @escaping @Sendable (_ key: String) -> Void) {
    self.lock = lock
    self.willStore = willStore
  }

  /// The value under a key; notes the access.
  func value(forKey key: String) -> [UInt8]? {
    lock.withLock {
      guard let value = storage.value(forKey: key) else { return nil }
      storage.touch(key)
      return value
    }
  }

  /// Calls the observer, and stores a value.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock {
      willStore(key)
      storage.setValue(value, forKey: key, cost: cost)
    }
  }

  /// Removes a value.
  func removeValue(forKey key: String) {
    lock.withLock { storage.removeValue(forKey: key) }
  }

  /// Removes every value.
  func removeAllValues() {
    lock.withLock { storage.removeAllValues() }
  }

  /// How many values there are.
  var count: Int {
    lock.withLock { storage.count }
  }

  /// What all values cost together.
  var totalCost: Int? {
    lock.withLock { storage.totalCost }
  }

  /// What is stored.
  func entries() -> [String: CacheEntry]? {
    lock.withLock { storage.entries() }
  }
}
