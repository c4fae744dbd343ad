/// A cache that is an actor.
///
/// **1,000 reads**: pass on every system, from tasks, threads and queues. A caller that waits for
/// an actor is a suspended task and holds no thread, so the pool cannot starve.
package actor ActorCache: AsyncCache {
  private let storage = Storage(isLocked: true)

  /// Makes an empty cache.
  package init() {}

  /// The value under a key; notes the access.
  package func value(forKey key: String) -> [UInt8]? {
    guard let value = storage.value(forKey: key) else { return nil }
    storage.touch(key)
    return value
  }

  /// Stores a value.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    storage.setValue(value, forKey: key, cost: cost)
  }

  /// Removes a value.
  package func removeValue(forKey key: String) {
    storage.removeValue(forKey: key)
  }

  /// Removes every value.
  package func removeAllValues() {
    storage.removeAllValues()
  }

  /// How many values there are.
  package var count: Int { storage.count }

  /// What all values cost together.
  package var totalCost: Int? { storage.totalCost }

  /// What is stored.
  package func entries() -> [String: CacheEntry]? { storage.entries() }
}
