/// A cache whose native form is synchronous: bytes by key, each with a cost.
///
/// Any number of threads call it concurrently. Your own type needs five members; the rest have
/// defaults.
public protocol Cache: AnyObject, Sendable {
  /// The value under a key, or `nil` if there is none.
  func value(forKey key: String) -> [UInt8]?

  /// Stores a value that costs `cost`, and replaces an older one.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int)

  /// Removes the value under a key, if there is one.
  func removeValue(forKey key: String)

  /// Removes every value.
  func removeAllValues()

  /// How many values there are.
  var count: Int { get }

  /// The total cost of all values; `nil`, the default, if the cache keeps no costs.
  var totalCost: Int? { get }

  /// All entries, for checks after all calls have ended. The default is `nil`, which skips the
  /// checks that need the entries.
  func entries() -> [String: CacheEntry]?

  /// Reads a key, and calls `completion` exactly once. The default runs the synchronous form on a
  /// concurrent queue.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void)

  /// Stores a value, and calls `completion` exactly once. The default runs the synchronous form on
  /// a concurrent queue.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void)

  /// Removes a key, and calls `completion` exactly once. The default runs the synchronous form on a
  /// concurrent queue.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void)
}

/// A value and its cost, as a cache holds them.
public struct CacheEntry: Sendable, Hashable {
  /// The value.
  public var value: [UInt8]
  /// The cost of the value, in the cache's own unit.
  public var cost: Int

  /// Makes an entry.
  public init(value: [UInt8], cost: Int) {
    self.value = value
    self.cost = cost
  }
}
