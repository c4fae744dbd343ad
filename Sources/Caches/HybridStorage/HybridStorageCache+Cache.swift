public import Foundation

// The forms that every cache has. They cannot throw: what cannot be read is not there, and a value that cannot be
// written to its file is in memory alone; the cache's own calls say what went wrong.

extension HybridStorageCache: Cache where Value == [UInt8] {
  /// Puts a cache over a directory.
  ///
  /// - Throws: Foundation's error, where the directory cannot be made.
  public convenience init(directory: URL, locking: HybridLocking = .twoQueues) throws {
    self.init(
      disk: try HybridDiskStorage(directory: directory, transformer: .checked), locking: locking)
  }

  /// The value under a key, whether or not it has expired.
  public func value(forKey key: String) -> [UInt8]? { try? object(forKey: key) }

  /// Stores a value; costs are not kept.
  public func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    try? setObject(value, forKey: key)
  }

  /// Removes a value.
  public func removeValue(forKey key: String) { try? removeObject(forKey: key) }

  /// Removes every value.
  public func removeAllValues() { try? removeAll() }

  /// How many keys memory knows.
  public var count: Int { allKeys.count }

  /// What is under the keys that memory knows; without costs.
  public func entries() -> [String: CacheEntry]? {
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
  public func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key) { completion(try? $0.get()) }
  }

  /// Stores on the queue of the asynchronous calls.
  public func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key) { _ in completion() }
  }

  /// Removes on the queue of the asynchronous calls.
  public func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key) { _ in completion() }
  }

  /// The names of the files that the keys in memory have, and those of the files that are there: the same, while
  /// nothing was thrown out. For checks when nothing is under way.
  public func fileNames() -> (ofMemory: Set<String>, onDisk: Set<String>) {
    (Set(storage.memory.storedKeys.map(storage.disk.fileName)), Set(storage.disk.fileNames))
  }
}
