import Caches
internal import Dispatch
internal import Foundation
import Interlock
internal import LockStrategies
package import Synchronization

/// The memory half of TMCache: a concurrent queue that is the lock.
///
/// Follows TMMemoryCache.m of TMCache 2.1.0 (commit 4a39e53): `objectForKey:block:`,
/// `setObject:forKey:withCost:block:`, `removeObjectForKey:block:`,
/// `removeObjectAndExecuteBlocksForKey:` and the synchronous forms. As there, reads are
/// asynchronous blocks on a private concurrent queue and call back inside the block; writes, trims,
/// enumerations and setters are barriers, with the will and did blocks inside; a read notes its
/// access in a separate barrier; completions of writes are dispatched once more; getters are
/// `sync`; and each synchronous form starts the asynchronous one and waits on a semaphore.
/// `TMRepairs` describes the repairs.
///
/// Its repairs determine how far it is thread-safe. `@unchecked Sendable`: mutable state is only
/// touched in `access`.
package final class TMMemoryCache<Object: Sendable>: @unchecked Sendable {
  /// Called with a key and its object.
  package typealias ObjectBlock = @Sendable (TMMemoryCache, String, Object?) -> Void
  /// Called with the cache.
  package typealias CacheBlock = @Sendable (TMMemoryCache) -> Void

  /// The bugs that are repaired in this cache.
  package let repairs: TMRepairs
  let queue = DispatchQueue(label: "tmcache.memory", attributes: .concurrent)
  let store: TMMemoryStore<Object>
  /// Whether a memory warning removes everything; by default it does. Relaxed: a plain Boolean in
  /// the original.
  package let removesAllOnMemoryWarning = Atomic<Bool>(true)
  /// Whether going into the background removes everything; by default it does. Relaxed, as the
  /// other.
  package let removesAllOnEnteringBackground = Atomic<Bool>(true)
  private let lock = PthreadMutexLock()
  private let isSynchronous: Bool
  private let settingsSection = Section("tmcache.memory.settings")
  private var settingsNow = TMMemorySettings<Object>()

  /// Makes an empty cache without limits.
  package init(repairs: TMRepairs = []) {
    self.repairs = repairs
    isSynchronous = repairs.contains(.synchronousCore)
    store = TMMemoryStore(repairs: repairs)
  }

  // MARK: Native forms

  /// Finds an object, calls back with it, and notes the access.
  ///
  /// As shipped, a call without a key is dropped, and so is one whose cache is freed before its
  /// block runs.
  package func object(forKey key: String?, completion: @escaping @Sendable (Object?) -> Void) {
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
  package func setObject(
    _ object: Object, forKey key: String?, cost: Int = 0,
    completion: (@Sendable () -> Void)? = nil
  ) {
    let now = Date()
    guard let key else { return answerAnyway(completion) }
    // The original's block names an instance variable, and so retains the cache, unlike the others.
    write(keepsAlive: true, { $0.insert(object, forKey: key, cost: cost, at: now) }, completion)
  }

  /// Removes an object.
  package func removeObject(forKey key: String?, completion: (@Sendable () -> Void)? = nil) {
    guard let key else { return answerAnyway(completion) }
    write({ $0.removeAndTell(key) }, completion)
  }

  /// Removes every object.
  package func removeAllObjects(completion: (@Sendable () -> Void)? = nil) {
    write({ $0.removeAllAndTell() }, completion)
  }

  /// Calls a block with every object, the least recently used first, inside a barrier as shipped.
  package func enumerateObjects(
    _ body: @escaping @Sendable (String, Object?) -> Void,
    completion: (@Sendable () -> Void)? = nil
  ) {
    write({ $0.enumerate(body) }, completion)
  }

  // MARK: Synchronous forms

  /// Finds an object and notes the access.
  package func object(forKey key: String) -> Object? {
    guard isSynchronous else { return waitForCallback { object(forKey: key, completion: $0) } }
    let now = Date()
    return lock.withLock { store.touchedObject(forKey: key, at: now) }
  }

  /// Stores an object, and replaces the previous one.
  package func setObject(_ object: Object, forKey key: String, cost: Int = 0) {
    let now = Date()
    writeAndWait { $0.insert(object, forKey: key, cost: cost, at: now) }
  }

  /// Removes an object.
  package func removeObject(forKey key: String) {
    writeAndWait { $0.removeAndTell(key) }
  }

  /// Removes every object.
  package func removeAllObjects() {
    writeAndWait { $0.removeAllAndTell() }
  }

  /// Calls a block with every object, the least recently used first, inside a barrier as shipped.
  package func enumerateObjects(_ body: @escaping @Sendable (String, Object?) -> Void) {
    writeAndWait { $0.enumerate(body) }
  }

  // MARK: The lock

  /// Runs an operation as a block on the queue, if the cache still exists then.
  func enqueue(
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
  func write(
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
  func writeAndWait(_ operation: @escaping @Sendable (TMMemoryCache) -> Void) {
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
  func ask<R>(_ body: () -> R) -> R {
    isSynchronous ? lock.withLock(body) : queue.sync(execute: body)
  }

  /// The limits and blocks; call only within `access` or `ask`.
  var settings: TMMemorySettings<Object> {
    _read {
      settingsSection.begin(.noWrite, synched: true)
      defer { settingsSection.end(.noWrite) }
      yield settingsNow
    }
    _modify {
      settingsSection.begin(.noReadWrite, synched: true)
      defer { settingsSection.end(.noReadWrite) }
      yield &settingsNow
    }
  }

  private func answerAnyway(_ completion: (@Sendable () -> Void)?) {
    if repairs.contains(.answersAlways), let completion { queue.async { completion() } }
  }
}
