import Dispatch

/// The queue that the default asynchronous forms run on.
private let asynchronousForms = DispatchQueue(
  label: "interlock.cache.asynchronous-forms", attributes: .concurrent)

// The asynchronous forms wrap the synchronous ones, and not the other way round: that is how
// PINCache cured the deadlock of the cache that it forked.
extension Cache {
  /// No costs are kept.
  public var totalCost: Int? { nil }

  /// What is stored cannot be told.
  public func entries() -> [String: CacheEntry]? { nil }

  /// Reads by the synchronous form on a concurrent queue.
  public func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    asynchronousForms.async { completion(self.value(forKey: key)) }
  }

  /// Stores by the synchronous form on a concurrent queue.
  public func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    asynchronousForms.async {
      self.setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  /// Removes by the synchronous form on a concurrent queue.
  public func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    asynchronousForms.async {
      self.removeValue(forKey: key)
      completion()
    }
  }
}
