import Caches
import Interlock

extension YYMemoryCache: Cache {
  /// The bytes under a key.
  func value(forKey key: String) -> [UInt8]? {
    (object(forKey: key) as? YYData)?.bytes
  }

  /// Stores bytes.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(YYData(value), forKey: key, cost: cost)
  }

  /// Removes the value under a key.
  func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes every value.
  func removeAllValues() { removeAllObjects() }

  /// How many values there are.
  var count: Int { totalCount }

  /// What is stored; an object that is not bytes appears as an empty value.
  func entries() -> [String: CacheEntry]? {
    withMutex {
      map.all.mapValues { node in
        let value = node.valueSection.read(synched: true) { node.value }
        return CacheEntry(value: (value as? YYData)?.bytes ?? [], cost: node.cost)
      }
    }
  }

  /// The keys according to the list, the most recently used first.
  var keysInOrder: [String] { withMutex { map.keysInOrder } }
}
