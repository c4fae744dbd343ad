/// A cache whose native form is `async`: an actor, most often.
public protocol AsyncCache: AnyObject, Sendable {
  /// The value under a key, or `nil` where there is none.
  func value(forKey key: String) async -> [UInt8]?

  /// Stores a value that costs `cost`, in the place of what was there.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) async

  /// Removes the value under a key, if there is one.
  func removeValue(forKey key: String) async

  /// Removes every value.
  func removeAllValues() async

  /// How many values there are.
  var count: Int { get async }

  /// What all values cost together; `nil`, the default, where the cache keeps no costs.
  var totalCost: Int? { get async }

  /// What is stored, for checks when nothing is under way; `nil`, the default, where it cannot be
  /// told.
  func entries() async -> [String: CacheEntry]?
}

// `async` as the requirements are. Call these two on an `any AsyncCache`: on an actor's own type,
// code that is `async` itself would prefer these to the actor's synchronous members.
extension AsyncCache {
  /// No costs are kept.
  public var totalCost: Int? { get async { nil } }

  /// What is stored cannot be told.
  public func entries() async -> [String: CacheEntry]? { nil }
}
