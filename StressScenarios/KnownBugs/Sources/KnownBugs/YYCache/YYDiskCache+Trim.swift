import Dispatch

// `trimToCost:`, `trimToCount:`, `trimToAge:`, `_trimToFreeDiskSpace:`, `_trimInBackground`,
// `_trimRecursively`.
extension YYDiskCache {
  /// Removes the least recently used entries down to this number of bytes; 0 removes all.
  func trim(toSize limit: Int) {
    withStorage { Self.trim($0, toSize: limit) }
  }

  /// Removes the least recently used entries down to this number; 0 removes all.
  func trim(toCount limit: Int) {
    withStorage { Self.trim($0, toCount: limit) }
  }

  /// Removes entries that have not been used for this many seconds; 0 or less removes all.
  func trim(toAge limit: Double) {
    withStorage { Self.trim($0, toAge: limit) }
  }

  /// Trims to all limits in one critical section, as the original does periodically.
  func trimToLimits() {
    withStorage { storage in
      let limits = limits
      Self.trim(storage, toSize: limits.cost)
      Self.trim(storage, toCount: limits.count)
      Self.trim(storage, toAge: limits.age)
      guard limits.freeDiskSpace > 0, let free = SystemFiles.freeBytes(at: path),
        free < limits.freeDiskSpace, storage.size > 0
      else { return }
      Self.trim(storage, toSize: max(0, storage.size - (limits.freeDiskSpace - free)))
    }
  }

  func trimAgain() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + options.autoTrimInterval) {
      [weak self] in
      guard let self else { return }
      queue.async { [weak self] in self?.trimToLimits() }
      trimAgain()
    }
  }

  // The original's limits are 32 bits wide; a value above that range means no limit.
  private static func trim(_ storage: YYKVStorage, toSize limit: Int) {
    if limit < Int32.max { storage.removeItems(toFitSize: limit) }
  }

  private static func trim(_ storage: YYKVStorage, toCount limit: Int) {
    if limit < Int32.max { storage.removeItems(toFitCount: limit) }
  }

  private static func trim(_ storage: YYKVStorage, toAge limit: Double) {
    if limit <= 0 {
      storage.removeAll()
    } else if limit < Double(storage.now) {
      storage.removeItems(unusedSince: storage.now - Int(limit))
    }
  }
}
