import Caches

extension YYDiskCache: Cache {
  /// The value under a key.
  func value(forKey key: String) -> [UInt8]? { item(forKey: key)?.value }

  /// Stores a value. The disk cache ignores costs and limits sizes.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setValue(value, forKey: key)
  }

  /// Removes the value under a key.
  func removeValue(forKey key: String) {
    withStorage { _ = $0.remove(key: key) }
  }

  /// Removes everything by making a new database.
  func removeAllValues() {
    withStorage { $0.removeAll() }
  }

  /// How many entries there are; -1 if the database fails.
  var count: Int { withStorage { $0.count } }

  /// What is stored, at the size of its archive.
  func entries() -> [String: CacheEntry]? {
    let items = withStorage { $0.allItems() }
    return Dictionary(
      items.compactMap { item in
        item.value.flatMap(options.unarchive).map {
          (item.key, CacheEntry(value: $0, cost: item.size))
        }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The names of the values' files, according to the database and to the folder.
  var fileNames: (inDatabase: Set<String>, inFolder: Set<String>) {
    withStorage { storage in
      (Set(storage.allItems().compactMap(\.fileName)), storage.fileNames)
    }
  }
}
