// The original's `storage.async`: each completion is called on the queue of the asynchronous calls.

extension HybridStorageCache {
  /// Reads a key, as `entry(forKey:)`.
  func entry(
    forKey key: String,
    completion: @escaping @Sendable (Result<HybridEntry<Value>, any Error>) -> Void
  ) {
    async.perform({ try $0.entry(forKey: key) }, completion: completion)
  }

  /// Reads a key, as `object(forKey:)`.
  func object(
    forKey key: String, completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    entry(forKey: key) { completion($0.map(\.object)) }
  }

  /// Stores an object, as `setObject(_:forKey:expiry:)`.
  func setObject(
    _ object: Value, forKey key: String, expiry: HybridExpiry? = nil,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    async.perform(
      { try $0.setObject(object, forKey: key, expiry: expiry) }, completion: completion)
  }

  /// Removes an object, as `removeObject(forKey:)`.
  func removeObject(
    forKey key: String, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    async.perform({ try $0.removeObject(forKey: key) }, completion: completion)
  }

  /// Removes everything.
  func removeAll(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    async.perform({ try $0.removeAll() }, completion: completion)
  }

  /// Removes expired objects, like `removeExpiredObjects()`.
  func removeExpiredObjects(
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    async.perform({ try $0.removeExpiredObjects() }, completion: completion)
  }
}
