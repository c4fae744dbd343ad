import Caches
import Dispatch
import Foundation
import Interlock
import LockStrategies

/// The memory half of TMCache: a concurrent queue that is the lock.
///
/// Follows TMMemoryCache.m of TMCache 2.1.0 (commit 4a39e53). As there, reads are asynchronous
/// blocks on a private concurrent queue and call back inside the block; writes, trims, enumerations
/// and setters are barriers, with the user's block inside; a read notes its access in a separate
/// barrier; completions of writes are dispatched once more; getters are `sync`; and each
/// synchronous form starts the asynchronous one and waits on a semaphore. `TMRepairs` describes the
/// repairs. Of the original's blocks and limits the model has one block, and the age limit.
///
/// Its repairs determine how far it is thread-safe. `@unchecked Sendable`: mutable state is only
/// touched in `access`.
final class TMMemoryCache: Cache, @unchecked Sendable {
  /// Called with the cache and a key before an object is stored; under the barrier as shipped.
  typealias ObjectBlock = @Sendable (TMMemoryCache, String) -> Void

  private let repairs: TMRepairs
  private let queue = DispatchQueue(label: "tmcache.memory", attributes: .concurrent)
  let store: TMMemoryStore
  private let lock = PthreadMutexLock()
  private let isSynchronous: Bool
  private let settings: TMSettings<ObjectBlock>

  init(repairs: TMRepairs = []) {
    self.repairs = repairs
    isSynchronous = repairs.contains(.synchronousCore)
    store = TMMemoryStore(repairs: repairs)
    settings = TMSettings("tmcache.memory.settings", repairs)
  }

  // MARK: Native forms

  /// Finds an object, calls back with it, and notes the access.
  ///
  /// As shipped, a call without a key is dropped, and so is one whose cache is freed before its
  /// block runs.
  func object(forKey key: String?, completion: @escaping @Sendable (CachedObject?) -> Void) {
    let now = Date()
    guard let key else {
      if repairs.contains(.answersAlways) { queue.async { completion(nil) } }
      return
    }
    if isSynchronous {
      return enqueue { completion($0.object(forKey: key)) }
    }
    enqueue { cache in
      let object = cache.store.object(forKey: key)
      if object != nil {
        SYNC_POINT("tmmemorycache.get.afterRead")
        SYNC_POINT("tmmemorycache.get.beforeTouch")
        cache.enqueue(barrier: true) { $0.store.touch(key, at: now) }
      }
      completion(object)
    }
  }

  /// Stores an object, and replaces the previous one.
  func setObject(
    _ object: CachedObject, forKey key: String, cost: Int = 0, completion: (@Sendable () -> Void)?
  ) {
    let now = Date()
    // The original's block names an instance variable, and so retains the cache, unlike the others.
    write(keepsAlive: true, { $0.insert(object, forKey: key, cost: cost, at: now) }, completion)
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    write({ $0.remove(key) }, completion)
  }

  func removeAll(completion: @escaping @Sendable () -> Void) {
    write({ $0.removeAll() }, completion)
  }

  // MARK: Synchronous forms

  func object(forKey key: String) -> CachedObject? {
    guard isSynchronous else { return waitForCallback { object(forKey: key, completion: $0) } }
    let now = Date()
    return lock.withLock { store.touchedObject(forKey: key, at: now) }
  }

  func setObject(_ object: CachedObject, forKey key: String, cost: Int = 0) {
    let now = Date()
    writeAndWait { $0.insert(object, forKey: key, cost: cost, at: now) }
  }

  func removeValue(forKey key: String) { writeAndWait { $0.remove(key) } }

  func removeAllValues() { writeAndWait { $0.removeAll() } }

  /// Calls a block with every key, inside a barrier as shipped.
  func enumerateObjects(_ body: @escaping @Sendable (String) -> Void) {
    writeAndWait { cache in
      for key in cache.access({ cache.store.keysByDate }) { body(key) }
    }
  }

  // MARK: The operations

  // As shipped they run under the barrier; repaired, on the caller's thread, with the lock in
  // `access` alone and no block under it. Replaced and removed objects are freed accordingly: under
  // the barrier, or without a lock.

  private func insert(_ object: CachedObject, forKey key: String, cost: Int, at date: Date) {
    tellOfInsertion(forKey: key)
    _ = access { store.insert(object, forKey: key, cost: cost, at: date) }
  }

  /// Calls the block of an insertion.
  func tellOfInsertion(forKey key: String) { access { settings.block }?(self, key) }

  private func remove(_ key: String) { _ = access { store.remove(key) } }

  private func removeAll() { _ = access { store.removeAll() } }

  /// Trims now, and again after each `ageLimit` while there is one.
  private func trimToAgeLimitRecursively() {
    guard let (limit, chain) = access({ settings.startTimer() }) else { return }
    let oldest = Date(timeIntervalSinceNow: -limit)
    for key in access({ store.keys(olderThan: oldest) }) { remove(key) }
    queue.asyncAfter(deadline: .now() + limit) { [weak self, isSynchronous] in
      self?.enqueue(barrier: !isSynchronous) { cache in
        if cache.access({ cache.settings.endTimer(of: chain) }) {
          cache.trimToAgeLimitRecursively()
        }
      }
    }
  }

  // MARK: Settings: as shipped a getter is a `sync` on the queue, and a setter a barrier

  func setWillAddObject(_ block: ObjectBlock?) {
    change { cache in cache.access { cache.settings.block = block } }
  }

  /// Limits for how many seconds an unused object is kept.
  ///
  /// The cache trims at each setting and once in each such interval, so that an object may live
  /// twice as long (issue 76).
  func setAgeLimit(_ limit: Double) {
    change { cache in
      cache.access { cache.settings.setAgeLimit(limit) }
      cache.trimToAgeLimitRecursively()
    }
  }

  private func change(_ operation: @escaping @Sendable (TMMemoryCache) -> Void) {
    if isSynchronous { return operation(self) }
    enqueue(barrier: true, operation)
  }

  /// How many chains of age timers are running.
  var ageTimers: Int { ask { settings.ageTimers } }

  var totalCost: Int? { ask { store.totalCost } }

  var count: Int { ask { store.count } }

  func entries() -> [String: CacheEntry]? { ask { store.entries } }

  /// The keys in each of the structures that must agree, for checks after all calls have ended.
  var indexes: [String: Set<String>] { ask { store.indexes } }

  // MARK: The lock

  /// Runs an operation as a block on the queue, if the cache still exists then.
  private func enqueue(
    barrier: Bool = false, keepsAlive: Bool = false,
    _ operation: @escaping @Sendable (TMMemoryCache) -> Void
  ) {
    let flags: DispatchWorkItemFlags = barrier ? .barrier : []
    if keepsAlive || repairs.contains(.answersAlways) {
      queue.async(flags: flags) { operation(self) }
    } else {
      queue.async(flags: flags) { [weak self] in
        if let self { operation(self) }
      }
    }
  }

  /// Runs an operation that changes state under a barrier, and the completion in a separate block.
  /// Repaired, without a barrier: the operation takes the lock in `access`.
  private func write(
    keepsAlive: Bool = false, _ operation: @escaping @Sendable (TMMemoryCache) -> Void,
    _ completion: (@Sendable () -> Void)?
  ) {
    enqueue(barrier: !isSynchronous, keepsAlive: keepsAlive) { cache in
      operation(cache)
      guard let completion else { return }
      if cache.isSynchronous { return completion() }
      cache.enqueue { _ in completion() }
    }
  }

  /// Runs an operation that changes state, and waits for it; repaired, by running it here.
  private func writeAndWait(_ operation: @escaping @Sendable (TMMemoryCache) -> Void) {
    if isSynchronous { return operation(self) }
    // As shipped the operation has a weak reference to the cache; the waiting caller retains it.
    waitForCallback { done in write(operation) { done(()) } }
  }

  /// Accesses the state within an operation. As shipped the operation already runs under the
  /// barrier; repaired, this takes the lock.
  func access<R>(_ body: () -> R) -> R {
    isSynchronous ? lock.withLock(body) : body()
  }

  /// Reads from outside an operation: `dispatch_sync` as shipped, which traps inside a barrier of
  /// this queue.
  private func ask<R>(_ body: () -> R) -> R {
    isSynchronous ? lock.withLock(body) : queue.sync(execute: body)
  }

  // MARK: The calls of every cache

  func value(forKey key: String) -> [UInt8]? { object(forKey: key)?.bytes }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(CachedObject(value), forKey: key, cost: cost)
  }

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key) { completion($0?.bytes) }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(CachedObject(value), forKey: key, cost: cost, completion: completion)
  }
}
