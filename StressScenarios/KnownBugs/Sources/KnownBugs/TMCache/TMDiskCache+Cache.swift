package import Caches

extension TMDiskCache: Cache {
  /// The value under a key; notes the access.
  package func value(forKey key: String) -> [UInt8]? { object(forKey: key) }

  /// Stores a value. The disk cache keeps no costs but the sizes of its files.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(value, forKey: key)
  }

  /// Removes a value.
  package func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes every value.
  package func removeAllValues() { removeAllObjects() }

  /// How many values there are.
  package var count: Int { ask { directory.knownSizes.count } }

  /// What is in the files, with their sizes as costs.
  package func entries() -> [String: CacheEntry]? {
    let archives = ask {
      var archives: [(key: String, size: Int, bytes: [UInt8])] = []
      report {
        for file in try files.scan() {
          guard let bytes = files.read(files.url(forKey: file.key)) else { continue }
          archives.append((file.key, file.size, bytes))
        }
      }
      return archives
    }
    var entries: [String: CacheEntry] = [:]
    for (key, size, bytes) in archives {
      report {
        let value = try archiver.decode(try TMArchive(bytes).value)
        entries[key] = CacheEntry(value: value, cost: size)
      }
    }
    return entries
  }

  /// The keys in each of the structures that must agree, for checks after all calls have ended.
  package func indexes() -> [String: Set<String>] {
    ask {
      var files: Set<String> = []
      report { files = Set(try self.files.scan().map(\.key)) }
      return [
        "files": files, "sizes": Set(directory.knownSizes.keys), "dates": directory.knownDates,
      ]
    }
  }

  /// Finds a value and calls back with it.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key, completion: completion)
  }

  /// Stores a value and calls back.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key) { _ in completion() }
  }

  /// Removes a value and calls back.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key, completion: completion)
  }
}
