import Caches
import Dispatch
import Interlock
import LockStrategies

/// The pair of YYCache 1.0.4: a memory cache before a disk cache, without a lock over both.
///
/// The model follows YYCache.m. As shipped, a read that misses in memory stores the disk's value in
/// memory even if the key was removed meanwhile (the asynchronous form checks once more, which may
/// be too early); two changes of a key may reach memory in one order and the disk in the other; and
/// each pair has its own memory, so that two pairs on one folder do not see each other's changes.
final class YYCache: Cache {
  let memory: YYMemoryCache
  let disk: YYDiskCache
  private let repairs: YYDiskRepairs
  /// Held during changes of both layers (`changesBothAsOne`).
  private let lock = PthreadMutexLock()
  // Safe: only touched under the lock.
  nonisolated(unsafe) private var changeCount = 0

  private init(disk: YYDiskCache, repairs: YYDiskRepairs, memory: YYMemoryCache) {
    self.disk = disk
    self.memory = memory
    self.repairs = repairs
  }

  /// The open pairs that are shared (`sharesOneInstance`), by folder.
  private static let instances = WeakInstances<YYCache>()

  /// Opens the pair on a folder; as shipped a new pair each time, over the folder's disk cache.
  static func open(
    _ path: String, _ options: YYDiskCache.Options = .init(), memoryRepairs: YYMemoryRepairs = []
  ) throws(YYStorageError) -> YYCache {
    func make() throws(YYStorageError) -> YYCache {
      YYCache(
        disk: try YYDiskCache.open(path, options), repairs: options.repairs,
        memory: YYMemoryCache(repairs: memoryRepairs))
    }
    guard options.repairs.contains(.sharesOneInstance) else { return try make() }
    return try instances.instance(for: YYDiskCache.resolved(path), orMake: make)
  }

  /// Changes both layers; repaired, as one step.
  private func change(_ body: () -> Void) {
    guard repairs.contains(.changesBothAsOne) else { return body() }
    lock.withLock {
      changeCount += 1
      body()
    }
  }

  /// How many changes have been made; 0 if they are not counted.
  private var changesSoFar: Int {
    repairs.contains(.changesBothAsOne) ? lock.withLock { changeCount } : 0
  }

  /// Stores a value from the disk in memory; repaired, only if nothing has changed since.
  private func fillMemory(_ value: [UInt8], forKey key: String, unlessChangedSince changes: Int) {
    guard repairs.contains(.changesBothAsOne) else {
      return memory.setValue(value, forKey: key, cost: 0)
    }
    lock.withLock {
      if changeCount == changes { memory.setValue(value, forKey: key, cost: 0) }
    }
  }

  // MARK: The calls of every cache

  /// The value under a key: from memory, or else from the disk, which also stores it in memory.
  func value(forKey key: String) -> [UInt8]? {
    if let value = memory.value(forKey: key) { return value }
    let changes = changesSoFar
    guard let value = disk.value(forKey: key) else { return nil }
    SYNC_POINT("yycache.get.diskRead")
    fillMemory(value, forKey: key, unlessChangedSince: changes)
    return value
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    change {
      memory.setValue(value, forKey: key, cost: 0)
      SYNC_POINT("yycache.set.memoryDone")
      disk.store(value, forKey: key)
    }
  }

  func removeValue(forKey key: String) {
    change {
      memory.removeValue(forKey: key)
      disk.removeValue(forKey: key)
    }
  }

  func removeAllValues() {
    change {
      memory.removeAllValues()
      disk.removeAllValues()
    }
  }

  var count: Int { disk.count }

  func entries() -> [String: CacheEntry]? { disk.entries() }

  /// Reads memory at once, and on a miss the disk, on its queue.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    if let value = memory.value(forKey: key) {
      DispatchQueue.global().async { completion(value) }
      return
    }
    let changes = changesSoFar
    disk.value(forKey: key) { [self] value in
      // As shipped: a change after this second look goes unnoticed.
      if let value, memory.value(forKey: key) == nil {
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
      return disk.setValue(value, forKey: key, cost: cost, completion: completion)
    }
    disk.queue.async { [self] in
      setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  /// Removes a value from each layer when `setValue` would store it there.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    guard repairs.contains(.changesBothAsOne) else {
      memory.removeValue(forKey: key)
      return disk.removeValue(forKey: key, completion: completion)
    }
    disk.queue.async { [self] in
      removeValue(forKey: key)
      completion()
    }
  }
}
