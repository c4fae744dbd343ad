import Interlock
import LockStrategies

/// The open pairs that are shared (`sharesOneInstance`), by folder.
private let pairs = WeakInstances<YYCache>()

/// The pair of YYCache 1.0.4: a memory cache before a disk cache, without a lock over both.
///
/// It follows `objectForKey:`, `objectForKey:withBlock:`, `setObject:forKey:` and
/// `removeObjectForKey:` of YYCache.m. As shipped, a read that misses in memory stores the disk's
/// value in memory even if the key was removed meanwhile (the asynchronous form checks once more,
/// which may be too early); two changes of a key may reach memory in one order and the disk in the
/// other; and each pair has its own memory, so that two pairs on one folder do not see each other's
/// changes.
final class YYCache: Sendable {
  /// The values in memory.
  let memory: YYMemoryCache
  /// The values on disk.
  let disk: YYDiskCache
  let repairs: YYDiskRepairs
  /// Held during changes of both layers (`changesBothAsOne`).
  private let lock = PthreadMutexLock()
  // Safe: only touched under the lock.
  nonisolated(unsafe) private var changeCount = 0

  /// Combines two caches.
  init(disk: YYDiskCache, repairs: YYDiskRepairs, memory: YYMemoryCache) {
    self.disk = disk
    self.memory = memory
    self.repairs = repairs
  }

  /// Opens the pair on a folder; as shipped a new pair each time, over the folder's disk cache.
  ///
  /// - Throws: If there is no SQLite, or the folder or the database cannot be used.
  static func open(
    _ path: String, _ options: YYDiskCache.Options = .init(), memoryRepairs: YYMemoryRepairs = []
  ) throws(YYStorageError) -> YYCache {
    func make() throws(YYStorageError) -> YYCache {
      YYCache(
        disk: try YYDiskCache.open(path, options), repairs: options.repairs,
        memory: YYMemoryCache(
          repairs: memoryRepairs, autoTrimInterval: options.autoTrimInterval > 0 ? 5 : 0))
    }
    guard options.repairs.contains(.sharesOneInstance) else { return try make() }
    return try pairs.instance(for: try YYDiskCache.canonicalPath(path), orMake: make)
  }

  /// Whether there is a value, in memory or on disk.
  func containsValue(forKey key: String) -> Bool {
    memory.containsObject(forKey: key) || disk.containsValue(forKey: key)
  }

  /// Changes both layers; repaired, as one step.
  func change(_ body: () -> Void) {
    guard repairs.contains(.changesBothAsOne) else { return body() }
    lock.withLock {
      changeCount += 1
      body()
    }
  }

  /// How many changes have been made; 0 if they are not counted.
  var changesSoFar: Int {
    repairs.contains(.changesBothAsOne) ? lock.withLock { changeCount } : 0
  }

  /// Stores a value from the disk in memory; repaired, only if nothing has changed since.
  func fillMemory(_ value: [UInt8], forKey key: String, unlessChangedSince changes: Int) {
    guard repairs.contains(.changesBothAsOne) else {
      return memory.setValue(value, forKey: key, cost: 0)
    }
    lock.withLock {
      if changeCount == changes { memory.setValue(value, forKey: key, cost: 0) }
    }
  }
}
