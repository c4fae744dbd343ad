package import Caches

extension TMCache: Cache {
  /// The value under a key.
  package func value(forKey key: String) -> [UInt8]? { object(forKey: key) }

  /// Stores a value. Only memory keeps the cost: a value read back from the disk costs nothing, as
  /// in the original.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(value, forKey: key, cost: cost)
  }

  /// Removes a value.
  package func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes every value.
  package func removeAllValues() { removeAllObjects() }

  /// How many keys memory and disk have together.
  package var count: Int {
    let inMemory = memoryCache.indexes()["objects"] ?? []
    return inMemory.union(diskCache.indexes()["files"] ?? []).count
  }

  /// What the values in memory cost together.
  package var totalCost: Int? { memoryCache.totalCost }

  /// What is stored: memory's value of a key, else the disk's at no cost.
  package func entries() -> [String: CacheEntry]? {
    let onDisk = (diskCache.entries() ?? [:]).mapValues { CacheEntry(value: $0.value, cost: 0) }
    return onDisk.merging(memoryCache.entries() ?? [:]) { _, inMemory in inMemory }
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
