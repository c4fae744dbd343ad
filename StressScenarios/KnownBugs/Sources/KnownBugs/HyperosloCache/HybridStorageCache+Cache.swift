import Caches
import Foundation

// The calls of every cache. They cannot throw: a value that cannot be read counts as missing, and
// one that cannot be written is in memory alone; the cache's own calls report the error.

extension HybridStorageCache: Cache where Value == [UInt8] {
  /// Puts a cache over a directory.
  ///
  /// - Throws: Foundation's error, if the directory cannot be made.
  convenience init(directory: URL, locking: HybridLocking = .twoQueues) throws {
    self.init(
      disk: try HybridDiskStorage(directory: directory, transformer: .checked), locking: locking)
  }

  /// The value under a key, whether or not it has expired.
  func value(forKey key: String) -> [UInt8]? { try? object(forKey: key) }

  /// Stores a value; costs are not kept.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    try? setObject(value, forKey: key)
  }

  /// Removes a value.
  func removeValue(forKey key: String) { try? removeObject(forKey: key) }

  /// Removes every value.
  func removeAllValues() { try? removeAll() }

  /// How many keys memory knows.
  var count: Int { allKeys.count }

  /// What is under the keys that memory knows; without costs.
  func entries() -> [String: CacheEntry]? {
    try? sync.perform { storage in
      var entries: [String: CacheEntry] = [:]
      for key in storage.memory.allKeys {
        guard let value = try? storage.entry(forKey: key).object else { continue }
        entries[key] = CacheEntry(value: value, cost: 0)
      }
      return entries
    }
  }

  /// Reads on the queue of the asynchronous calls.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key) { completion(try? $0.get()) }
  }

  /// Stores on the queue of the asynchronous calls.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key) { _ in completion() }
  }

  /// Removes on the queue of the asynchronous calls.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key) { _ in completion() }
  }

  /// The keys in memory, and those of the files; a file that belongs to none of `known` appears by
  /// its name. The two are equal while memory has evicted nothing. For checks after all operations
  /// have ended.
  func keys(known: Set<String>) -> (inMemory: Set<String>, onDisk: Set<String>) {
    let keys = Dictionary(
      known.map { (storage.disk.fileName(forKey: $0), $0) },
      uniquingKeysWith: { first, _ in first })
    return (storage.memory.storedKeys, Set(storage.disk.fileNames.map { keys[$0] ?? $0 }))
  }
}
