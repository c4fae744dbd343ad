/// A cache that is an actor.
///
/// **1,000 reads**: pass on every system, from tasks, threads and queues. A caller that waits for
/// an actor is a suspended task and holds no thread, so the pool cannot starve.
public actor ActorCache: AsyncCache {
  private let storage = Storage(isLocked: true)

  /// Makes an empty cache.
  public init() {}

  /// The value under a key; notes the access.
  public func value(forKey key: String) -> [UInt8]? {
    guard let value = storage.value(forKey: key) else { return nil }
    storage.touch(key)
    return value
  }

  /// Stores a value.
  public func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    storage.setValue(value, forKey: key, cost: cost)
  }

  /// Removes a value.
  public func removeValue(forKey key: String) {
    storage.removeValue(forKey: key)
  }

  /// Removes every value.
  public func removeAllValues() {
    storage.removeAllValues()
  }

  /// How many values there are.
  public var count: Int { storage.count }

  /// The total cost of all values.
  public var totalCost: Int? { storage.totalCost }

  /// All entries.
  public func entries() -> [String: CacheEntry]? { storage.entries() }
}
