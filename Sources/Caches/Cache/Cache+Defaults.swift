import Dispatch

/// The queue that runs the default asynchronous forms.
private let asynchronousForms = DispatchQueue(
  label: "interlock.cache.asynchronous-forms", attributes: .concurrent)

// The asynchronous forms wrap the synchronous ones, not the reverse: PINCache repaired TMCache's
// deadlock in this way.
extension Cache {
  /// No costs are kept.
  public var totalCost: Int? { nil }

  /// The stored values are not known.
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
