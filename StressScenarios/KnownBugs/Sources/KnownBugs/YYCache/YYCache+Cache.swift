import Caches
import Dispatch
import Interlock

extension YYCache: Cache {
  /// The value under a key: from memory, or else from the disk, which also stores it in memory.
  func value(forKey key: String) -> [UInt8]? {
    if let value = memory.value(forKey: key) { return value }
    let changes = changesSoFar
    guard let value = disk.value(forKey: key) else { return nil }
    SYNC_POINT("yycache.get.diskRead")
    fillMemory(value, forKey: key, unlessChangedSince: changes)
    return value
  }

  /// Stores in memory, then on disk.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    change {
      memory.setValue(value, forKey: key, cost: 0)
      SYNC_POINT("yycache.set.memoryDone")
      disk.setValue(value, forKey: key)
    }
  }

  /// Removes from memory, then from the disk.
  func removeValue(forKey key: String) {
    change {
      memory.removeValue(forKey: key)
      SYNC_POINT("yycache.remove.memoryDone")
      disk.removeValue(forKey: key)
    }
  }

  /// Removes everything from memory, then from the disk.
  func removeAllValues() {
    change {
      memory.removeAllValues()
      disk.removeAllValues()
    }
  }

  /// How many values there are on disk.
  var count: Int { disk.count }

  /// What is stored on disk.
  func entries() -> [String: CacheEntry]? { disk.entries() }

  /// Reads memory at once, and on a miss the disk, on its queue.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    if let value = memory.value(forKey: key) {
      DispatchQueue.global().async { completion(value) }
      return
    }
    let changes = changesSoFar
    disk.value(forKey: key) { [self] value in
      if let value, memory.value(forKey: key) == nil {
        // As shipped: a change at this point goes unnoticed.
        SYNC_POINT("yycache.getAsync.memoryMissedAgain")
        fillMemory(value, forKey: key, unlessChangedSince: changes)
      }
      completion(value)
    }
  }

  /// As shipped, stores in memory at once and on disk later, on its queue; repaired, in both later.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    guard repairs.contains(.changesBothAsOne) else {
      memory.setValue(value, forKey: key, cost: 0)
      disk.setValue(value, forKey: key, cost: cost, completion: completion)
      return
    }
    disk.queue.async { [self] in
      setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  /// As shipped, removes from memory at once and from the disk later, on its queue; repaired, from
  /// both later.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    guard repairs.contains(.changesBothAsOne) else {
      memory.removeValue(forKey: key)
      disk.removeValue(forKey: key, completion: completion)
      return
    }
    disk.queue.async { [self] in
      removeValue(forKey: key)
      completion()
    }
  }
}
