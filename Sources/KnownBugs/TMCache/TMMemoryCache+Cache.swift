public import Caches

extension TMMemoryCache: Cache where Object == [UInt8] {
  /// The value under a key; notes the access.
  public func value(forKey key: String) -> [UInt8]? { object(forKey: key) }

  /// Stores a value.
  public func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(value, forKey: key, cost: cost)
  }

  /// Removes a value.
  public func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes every value.
  public func removeAllValues() { removeAllObjects() }

  /// What is stored.
  public func entries() -> [String: CacheEntry]? {
    objects().mapValues { CacheEntry(value: $0.object, cost: $0.cost) }
  }

  /// Finds a value and calls back with it.
  public func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key, completion: completion)
  }

  /// Stores a value and calls back.
  public func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key, cost: cost, completion: completion)
  }

  /// Removes a value and calls back.
  public func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key, completion: completion)
  }
}
