package import Caches

/// The cache of bytes that the harness knows.
extension PINMemoryCache: Cache {
  /// The bytes under a key.
  package func value(forKey key: String) -> [UInt8]? { object(forKey: key)?.bytes }

  /// Stores bytes, in an object.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(PINObject(value), forKey: key, withCost: UInt(bitPattern: cost))
  }

  /// Removes a key.
  package func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes everything.
  package func removeAllValues() { removeAllObjects() }

  /// How many objects there are.
  package var count: Int { locked { slots.count - phantoms } }

  /// The cache's sum of all costs; below zero where the original's `NSUInteger` has wrapped around.
  package var totalCost: Int? { locked { Int(bitPattern: costOfAll) } }

  /// What is stored. The bytes are read after the lock is released.
  package func entries() -> [String: CacheEntry]? {
    let objects = locked {
      slots.compactMapValues { slot in slot.object.map { ($0, Int(bitPattern: slot.cost)) } }
    }
    return objects.mapValues { CacheEntry(value: $0.bytes, cost: $1) }
  }

  /// The keys with a recorded access; they should equal the keys of the objects.
  package var accessedKeys: Set<String> { locked { Set(slots.keys) } }

  /// Reads by the scheduler.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key) { _, _, object in completion(object?.bytes) }
  }

  /// Stores by the scheduler.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(PINObject(value), forKey: key, withCost: UInt(bitPattern: cost)) { _, _, _ in
      completion()
    }
  }

  /// Removes by the scheduler.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key) { _, _, _ in completion() }
  }
}
