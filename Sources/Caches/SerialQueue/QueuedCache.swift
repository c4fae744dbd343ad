import Dispatch

/// A cache whose lock is a serial queue; implements every method except reading a value.
protocol QueuedCache: Cache {
  var queue: DispatchQueue { get }
  /// The values, only touched on the queue.
  var storage: Storage { get }
}

extension QueuedCache {
  /// Stores a value.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    queue.sync { storage.setValue(value, forKey: key, cost: cost) }
  }

  /// Removes a value.
  package func removeValue(forKey key: String) {
    queue.sync { storage.removeValue(forKey: key) }
  }

  /// Removes every value.
  package func removeAllValues() {
    queue.sync { storage.removeAllValues() }
  }

  /// How many values there are.
  package var count: Int {
    queue.sync { storage.count }
  }

  /// The total cost of all values.
  package var totalCost: Int? {
    queue.sync { storage.totalCost }
  }

  /// All entries.
  package func entries() -> [String: CacheEntry]? {
    queue.sync { storage.entries() }
  }
}
