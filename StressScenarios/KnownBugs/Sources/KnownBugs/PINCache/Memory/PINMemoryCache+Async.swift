// After PINMemoryCache.m of PINCache 3.0.4, the methods that end in Async; in 2.0 they have a
// `block:` and no priority. Each wraps its synchronous method, which is how the fork repaired
// TMCache's deadlock.

package import Foundation

extension PINMemoryCache {
  /// Checks whether there is an object under a key.
  package func containsObject(
    forKey key: String, completion: @escaping @Sendable (Bool) -> Void
  ) {
    scheduler.schedule(.high) { completion(self.containsObject(forKey: key)) }
  }

  /// Reads a key.
  package func object(forKey key: String, completion: @escaping ObjectBlock) {
    scheduler.schedule(.high) { completion(self, key, self.object(forKey: key)) }
  }

  /// Stores an object.
  package func setObject(
    _ object: PINObject, forKey key: String, withCost cost: UInt = 0, ageLimit: TimeInterval = 0,
    completion: ObjectBlock?
  ) {
    scheduler.schedule(.high) {
      self.setObject(object, forKey: key, withCost: cost, ageLimit: ageLimit)
      completion?(self, key, object)
    }
  }

  /// Removes a key.
  package func removeObject(forKey key: String, completion: ObjectBlock?) {
    scheduler.schedule(.low) {
      self.removeObject(forKey: key)
      completion?(self, key, nil)
    }
  }

  /// Removes objects that are older than a date.
  package func trim(to date: Date, completion: CacheBlock?) {
    perform({ $0.trim(to: date) }, completion)
  }

  /// Removes the costliest objects.
  package func trimToCost(_ cost: UInt, completion: CacheBlock?) {
    perform({ $0.trimToCost(cost) }, completion)
  }

  /// Removes objects by the eviction strategy.
  package func trimToCostByEvictionStrategy(_ cost: UInt, completion: CacheBlock?) {
    perform({ $0.trimToCostByEvictionStrategy(cost) }, completion)
  }

  /// Removes objects that are older than their own age limit.
  package func removeExpiredObjects(completion: CacheBlock?) {
    perform({ $0.removeExpiredObjects() }, completion)
  }

  /// Removes every object.
  package func removeAllObjects(completion: CacheBlock?) {
    perform({ $0.removeAllObjects() }, completion)
  }

  /// Shows each object to `body`.
  package func enumerateObjects(
    _ body: @escaping @Sendable (_ key: String, _ object: PINObject) -> Bool,
    completion: CacheBlock?
  ) {
    perform({ $0.enumerateObjects(body) }, completion)
  }

  private func perform(
    _ work: @escaping @Sendable (PINMemoryCache) -> Void, _ completion: CacheBlock?
  ) {
    scheduler.schedule(.low) {
      work(self)
      completion?(self)
    }
  }
}
