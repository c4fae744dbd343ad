import Caches

/// A cache of a storage under a lock; a model replaces the calls that contain its mistake.
protocol LockedStorage: Cache {
  func locked<R>(_ body: (Storage) -> R) -> R
}

extension LockedStorage {
  /// The value under a key; notes the access.
  func value(forKey key: String) -> [UInt8]? {
    locked { storage in
      guard let value = storage.value(forKey: key) else { return nil }
      storage.touch(key)
      return value
    }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    locked { $0.setValue(value, forKey: key, cost: cost) }
  }

  func removeValue(forKey key: String) { locked { $0.removeValue(forKey: key) } }

  func removeAllValues() { locked { $0.removeAllValues() } }

  var count: Int { locked { $0.count } }

  var totalCost: Int? { locked { $0.totalCost } }

  func entries() -> [String: CacheEntry]? { locked { $0.entries() } }
}
