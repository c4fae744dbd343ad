package import Caches

extension TMMemoryCache: Cache where Object == [UInt8] {
  /// The value under a key; notes the access.
  package func value(forKey key: String) -> [UInt8]? { object(forKey: key) }

  /// Stores a value.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(value, forKey: key, cost: cost)
  }

  /// Removes a value.
  package func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes every value.
  package func removeAllValues() { removeAllObjects() }

  /// What is stored.
  package func entries() -> [String: CacheEntry]? {
    objects().mapValues { CacheEntry(value: $0.object, cost: $0.cost) }
  }

  /// Finds a value and calls back with it.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key, completion: completion)
  }

  /// Stores a value and calls back.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key, cost: cost, completion: completion)
  }

  /// Removes a value and calls back.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key, completion: completion)
  }
}
