import Caches

/// The cache of bytes that the harness knows. It counts the keys on disk.
extension PINCache: Cache {
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

  /// How many keys the disk cache has on record.
  package var count: Int { disk.count }

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
