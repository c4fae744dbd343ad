public import LockStrategies

/// A cache whose native methods are synchronous, under a lock of any strategy.
///
/// PINCache 2 replaced a deadlocking design by this one: a waiter needs only the holder's thread,
/// and the asynchronous forms wrap the synchronous ones. As in PINCache, a read takes the lock
/// twice: shared to find the value, exclusively to note the access.
public final class LockedCache<Strategy: Lock>: Cache {
  private let lock: Strategy
  private let storage: Storage

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - lock: The lock, which nothing else may use.
  ///   - excludes: Whether the lock claims mutual exclusion; a conflict is then reported as a
  ///     broken claim.
  public init(_ lock: Strategy, excludes: Bool = true) {
    self.lock = lock
    storage = Storage(isLocked: excludes)
  }

  /// The value under a key; notes the access.
  public func value(forKey key: String) -> [UInt8]? {
    guard let value = lock.withSharedLock({ storage.value(forKey: key) }) else { return nil }
    lock.withLock { storage.touch(key) }
    return value
  }

  /// Stores a value.
  public func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { storage.setValue(value, forKey: key, cost: cost) }
  }

  /// Removes a value.
  public func removeValue(forKey key: String) {
    lock.withLock { storage.removeValue(forKey: key) }
  }

  /// Removes every value.
  public func removeAllValues() {
    lock.withLock { storage.removeAllValues() }
  }

  /// How many values there are.
  public var count: Int {
    lock.withSharedLock { storage.count }
  }

  /// The total cost of all values.
  public var totalCost: Int? {
    lock.withSharedLock { storage.totalCost }
  }

  /// All entries.
  public func entries() -> [String: CacheEntry]? {
    lock.withSharedLock { storage.entries() }
  }
}
