/// A cache whose native form is `async`, usually an actor.
public protocol AsyncCache: AnyObject, Sendable {
  /// The value under a key, or `nil` if there is none.
  func value(forKey key: String) async -> [UInt8]?

  /// Stores a value that costs `cost`, and replaces an older one.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) async

  /// Removes the value under a key, if there is one.
  func removeValue(forKey key: String) async

  /// Removes every value.
  func removeAllValues() async

  /// How many values there are.
  var count: Int { get async }

  /// The total cost of all values; `nil`, the default, if the cache keeps no costs.
  var totalCost: Int? { get async }

  /// All entries, for checks after all calls have ended; `nil`, the default, if unknown.
  func entries() async -> [String: CacheEntry]?
}

// The defaults are `async` like the requirements. Call them on an `any AsyncCache`: on an actor's
// own type, `async` code would prefer them to the actor's synchronous members.
extension AsyncCache {
  /// No costs are kept.
  public var totalCost: Int? { get async { nil } }

  /// The stored values are not known.
  public func entries() async -> [String: CacheEntry]? { nil }
}
