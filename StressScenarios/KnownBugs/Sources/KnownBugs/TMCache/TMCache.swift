import Caches
import Dispatch
import Foundation
import Interlock

/// TMCache: a memory cache and a disk cache behind a third queue.
///
/// Follows TMCache.m of TMCache 2.1.0 (commit 4a39e53). As there, a read goes from its own
/// concurrent queue to memory, on a miss to the disk, and stores what it finds in memory without a
/// check; both layers change concurrently, joined by a dispatch group; and each synchronous form
/// starts the asynchronous one and waits on a semaphore.
///
/// Its repairs determine how far it is thread-safe.
final class TMCache: Cache {
  private let repairs: TMRepairs
  /// The memory half; direct changes of it are not kept in step.
  let memory: TMMemoryCache
  /// The disk half; direct changes of it are not kept in step.
  let disk: TMDiskCache
  private let queue = DispatchQueue(label: "tmcache", attributes: .concurrent)

  /// Opens a cache, with the files that are already on the disk; two caches of one name share their
  /// files. `willDecode` stands for an object that is called while it is decoded.
  init(
    name: String, root: String, repairs: TMRepairs = [],
    willDecode: @escaping @Sendable () -> Void = {}
  ) {
    self.repairs = repairs
    disk = TMDiskCache(name: name, root: root, repairs: repairs, willDecode: willDecode)
    // As shipped each cache of a name has its own memory; repaired, they share the directory's.
    memory = disk.directory.memory
  }

  // MARK: Native forms

  /// Finds an object in memory, or else on the disk, and calls back with it.
  ///
  /// As shipped, a call without a key is dropped, and so is one whose cache is freed before any of
  /// its steps.
  func object(forKey key: String?, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    guard let key else {
      if repairs.contains(.answersAlways) { queue.async { completion(nil) } }
      return
    }
    let readIfThere = ifThere { (cache: TMCache, _: Void) in
      if cache.isInStep { return completion(cache.objectInStep(forKey: key)) }
      cache.readInSteps(key, completion)
    }
    queue.async {
      SYNC_POINT("tmcache.get.start")
      readIfThere(())
    }
  }

  /// The steps of a read as shipped, each of which starts the next.
  private func readInSteps(_ key: String, _ completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let onDisk: @Sendable ([UInt8]?) -> Void = ifThere { cache, object in
      SYNC_POINT("tmcache.get.afterDiskRead")
      SYNC_POINT("tmcache.get.beforeBackFill")
      if let object {
        cache.memory.setObject(CachedObject(object), forKey: key, completion: nil)
      }
      cache.enqueue { _ in completion(object) }
    }
    memory.object(
      forKey: key,
      completion: ifThere { cache, object in
        guard let object else { return cache.disk.value(forKey: key, completion: onDisk) }
        cache.disk.touch(key)
        cache.enqueue { _ in completion(object.bytes) }
      })
  }

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key, completion: completion)
  }

  /// Stores an object in memory and on the disk.
  func setObject(
    _ object: [UInt8], forKey key: String?, cost: Int = 0,
    completion: @escaping @Sendable () -> Void
  ) {
    guard let key else {
      if repairs.contains(.answersAlways) { queue.async { completion() } }
      return
    }
    if isInStep { return later(completion) { $0.setInStep(object, forKey: key, cost: cost) } }
    let (both, left) = join(completion)
    memory.setObject(CachedObject(object), forKey: key, cost: cost) {
      SYNC_POINT("tmcache.set.afterMemory")
      left()
    }
    SYNC_POINT("tmcache.set.betweenLayers")
    SYNC_POINT("tmcache.set.beforeDisk")
    disk.setObject(object, forKey: key, completion: left)
    both()
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key, cost: cost, completion: completion)
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    if isInStep { return later(completion) { $0.removeInStep(key) } }
    let (both, left) = join(completion)
    memory.removeValue(forKey: key) {
      SYNC_POINT("tmcache.remove.afterMemory")
      left()
    }
    disk.removeValue(forKey: key, completion: left)
    both()
  }

  private func removeAll(completion: @escaping @Sendable () -> Void) {
    let (both, left) = join(completion)
    memory.removeAll(completion: left)
    disk.removeAll(completion: left)
    both()
  }

  // MARK: Synchronous forms

  func value(forKey key: String) -> [UInt8]? {
    if isInStep { return objectInStep(forKey: key) }
    return waitForCallback { object(forKey: key, completion: $0) }
  }

  /// Only memory keeps the cost: a value read back from the disk costs nothing, as in the original.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    if isInStep { return setInStep(value, forKey: key, cost: cost) }
    waitForCallback { done in setObject(value, forKey: key, cost: cost) { done(()) } }
  }

  func removeValue(forKey key: String) {
    if isInStep { return removeInStep(key) }
    waitForCallback { done in removeValue(forKey: key) { done(()) } }
  }

  func removeAllValues() {
    if isInStep { return removeAllInStep() }
    waitForCallback { done in removeAll { done(()) } }
  }

  /// How many keys memory and disk have together.
  var count: Int { (memory.indexes["objects"] ?? []).union(disk.indexes["files"] ?? []).count }

  var totalCost: Int? { memory.totalCost }

  /// Memory's value of a key, else the disk's at no cost.
  func entries() -> [String: CacheEntry]? {
    let onDisk = (disk.entries() ?? [:]).mapValues { CacheEntry(value: $0.value, cost: 0) }
    return onDisk.merging(memory.entries() ?? [:]) { _, inMemory in inMemory }
  }

  // MARK: The queue

  private var isInStep: Bool { repairs.contains(.layersInStep) }

  /// Runs an operation as a block on the queue, if the cache still exists then.
  private func enqueue(_ operation: @escaping @Sendable (TMCache) -> Void) {
    let run = ifThere { (cache: TMCache, _: Void) in operation(cache) }
    queue.async { run(()) }
  }

  /// As `enqueue`; calls back after the operation.
  private func later(
    _ completion: @escaping @Sendable () -> Void, _ operation: @escaping @Sendable (TMCache) -> Void
  ) {
    enqueue { cache in
      operation(cache)
      completion()
    }
  }

  /// As shipped, does nothing once the cache is freed; repaired, it retains the cache.
  private func ifThere<Value>(
    _ operation: @escaping @Sendable (TMCache, Value) -> Void
  ) -> @Sendable (Value) -> Void {
    if repairs.contains(.answersAlways) { return { operation(self, $0) } }
    return { [weak self] value in
      if let self { operation(self, value) }
    }
  }

  /// Waits for two callbacks by a dispatch group, and then calls back on the queue.
  private func join(
    _ completion: @escaping @Sendable () -> Void
  ) -> (both: () -> Void, left: @Sendable () -> Void) {
    let group = DispatchGroup()
    group.enter()
    group.enter()
    let notified = ifThere { (_: TMCache, _: Void) in completion() }
    let queue = queue
    return ({ group.notify(queue: queue) { notified(()) } }, { group.leave() })
  }

  // MARK: Memory and disk in step, repaired

  // Each change of both is one critical section under the directory's lock. A second critical
  // section stores in memory what a read found on the disk, if the file is unchanged since the
  // read. Lock order: the disk's lock before memory's. The user's blocks are called with no lock
  // held.

  private func objectInStep(forKey key: String) -> [UInt8]? {
    if let object = memory.object(forKey: key) {
      disk.touch(key)
      return object.bytes
    }
    let now = Date()
    let (object, version) = disk.readObject(forKey: key, at: now)
    SYNC_POINT("tmcache.get.afterDiskRead")
    guard let object else { return nil }
    SYNC_POINT("tmcache.get.beforeBackFill")
    let isKept = disk.access {
      guard disk.directory.version(of: key) == version else { return false }
      return memory.access {
        memory.store.insertIfAbsent(CachedObject(object), forKey: key, at: now)
      }
    }
    // Call the block afterwards: not under the locks, and only if the object was kept.
    if isKept { memory.tellOfInsertion(forKey: key) }
    return object
  }

  private func setInStep(_ object: [UInt8], forKey key: String, cost: Int) {
    let now = Date()
    memory.tellOfInsertion(forKey: key)
    disk.write(object, forKey: key, at: now) {
      _ = memory.access {
        memory.store.insert(CachedObject(object), forKey: key, cost: cost, at: now)
      }
    }
    SYNC_POINT("tmcache.set.afterMemory")
  }

  private func removeInStep(_ key: String) {
    disk.remove(key) {
      _ = memory.access { memory.store.remove(key) }
    }
    SYNC_POINT("tmcache.remove.afterMemory")
  }

  private func removeAllInStep() {
    disk.removeAll(alongside: { _ = memory.access { memory.store.removeAll() } })
  }
}
