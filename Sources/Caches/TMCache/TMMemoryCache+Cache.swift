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

  /// How many values there are.
  public var count: Int { ask { store.count } }

  /// What is stored.
  public func entries() -> [String: CacheEntry]? {
    ask { store.entries.mapValues { CacheEntry(value: $0.object, cost: $0.cost) } }
  }

  /// The keys in each of the structures that must have the same ones, for checks at rest.
  public func indexes() -> [String: Set<String>] { ask { store.indexes } }

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
