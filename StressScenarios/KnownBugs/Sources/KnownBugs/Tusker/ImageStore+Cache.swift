import Caches

/// Bytes by key, whether or not they are an image. These calls ignore errors of the disk layer,
/// which `set(_:forKey:cost:)` and its like throw: the entry is then in memory alone.
extension ImageStore: Cache {
  /// The data under a key.
  package func value(forKey key: String) -> [UInt8]? { data(forKey: key) }

  /// Stores data in both layers.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    try? set(value, forKey: key, cost: cost)
  }

  /// Removes data from both layers.
  package func removeValue(forKey key: String) { try? remove(forKey: key) }

  /// Removes everything from both layers.
  package func removeAllValues() { try? removeAll() }

  /// How many entries there are in memory or on disk.
  package var count: Int {
    let inMemory = Set(originalsInMemory().keys.map { ImageDiskCache.fileName(forKey: $0) })
    return inMemory.union((try? disk?.fileNames()) ?? []).count
  }
}
