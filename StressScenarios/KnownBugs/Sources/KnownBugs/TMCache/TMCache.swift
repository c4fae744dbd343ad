import Caches
internal import Dispatch
package import Foundation
import Interlock

/// TMCache: a memory cache and a disk cache behind a third queue.
///
/// Follows TMCache.m of TMCache 2.1.0 (commit 4a39e53): `objectForKey:block:`,
/// `setObject:forKey:block:`, `removeObjectForKey:block:`, `removeAllObjects:`,
/// `trimToDate:block:`, `diskByteCount` and the synchronous forms. As there, a read goes from its
/// own concurrent queue to memory, on a miss to the disk, and stores what it finds in memory
/// without a check; both layers change concurrently, joined by a dispatch group; `diskByteCount` is
/// `sync` on the process's disk queue; and each synchronous form starts the asynchronous one and
/// waits on a semaphore. The repaired forms are in `TMCache+Repaired.swift`.
///
/// Its repairs determine how far it is thread-safe.
package final class TMCache: Sendable {
  /// The bugs that are repaired in this cache.
  package let repairs: TMRepairs
  /// The memory half; direct changes of it are not kept in step.
  package let memoryCache: TMMemoryCache<[UInt8]>
  /// The disk half; direct changes of it are not kept in step.
  package let diskCache: TMDiskCache
  let queue = DispatchQueue(label: "tmcache", attributes: .concurrent)

  /// Opens a cache, with the files that are already on the disk.
  ///
  /// - Parameters:
  ///   - name: The cache's name; two caches of one name share their files.
  ///   - root: The directory that contains the cache's own; no file outside it is touched.
  ///   - archiver: Encodes and decodes objects.
  ///   - repairs: The bugs that are repaired.
  ///   - onError: Called with errors of reads, writes and removals, which the original logs.
  package init(
    name: String, root: URL, archiver: TMArchiver = TMArchiver(), repairs: TMRepairs = [],
    onError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.repairs = repairs
    diskCache = TMDiskCache(
      name: name, root: root, archiver: archiver, repairs: repairs, onError: onError)
    // As shipped each cache of a name has its own memory; repaired, they share the directory's.
    memoryCache = diskCache.directory.memory
  }

  // MARK: Native forms

  /// Finds an object in memory, or else on the disk, and calls back with it.
  ///
  /// As shipped, a call without a key is dropped, and so is one whose cache is freed before any of
  /// its steps.
  package func object(forKey key: String?, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    guard let key else { return answerAnyway { completion(nil) } }
    let readIfThere = ifThere { cache in
      if cache.isInStep { return completion(cache.objectInStep(forKey: key)) }
      cache.readInSteps(key, completion)
    }
    queue.async {
      SYNC_POINT("tmcache.get.start")
      readIfThere()
    }
  }

  /// The steps of a read as shipped, each of which starts the next.
  private func readInSteps(_ key: String, _ completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let onDisk: @Sendable ([UInt8]?) -> Void = ifThere { cache, object in
      SYNC_POINT("tmcache.get.afterDiskRead")
      SYNC_POINT("tmcache.get.beforeBackFill")
      if let object { cache.memoryCache.setObject(object, forKey: key, completion: nil) }
      cache.enqueue { _ in completion(object) }
    }
    memoryCache.object(
      forKey: key,
      completion: ifThere { cache, object in
        if let object {
          // Notes the access on the disk.
          cache.diskCache.fileURL(forKey: key) { _ in }
          return cache.enqueue { _ in completion(object) }
        }
        SYNC_POINT("tmcache.get.afterMemoryMiss")
        cache.diskCache.object(forKey: key, completion: onDisk)
      })
  }

  /// Stores an object in memory and on the disk.
  package func setObject(
    _ object: [UInt8], forKey key: String?, cost: Int = 0,
    completion: (@Sendable () -> Void)? = nil
  ) {
    guard let key else { return answerAnyway(completion) }
    if isInStep {
      return enqueue { cache in
        cache.setInStep(object, forKey: key, cost: cost)
        completion?()
      }
    }
    let (both, left) = join(completion)
    memoryCache.setObject(object, forKey: key, cost: cost) {
      SYNC_POINT("tmcache.set.afterMemory")
      left()
    }
    SYNC_POINT("tmcache.set.betweenLayers")
    SYNC_POINT("tmcache.set.beforeDisk")
    diskCache.setObject(object, forKey: key) { _ in left() }
    both()
  }

  /// Removes an object from memory and from the disk.
  package func removeObject(forKey key: String?, completion: (@Sendable () -> Void)? = nil) {
    guard let key else { return answerAnyway(completion) }
    if isInStep {
      return enqueue { cache in
        cache.removeInStep(key)
        completion?()
      }
    }
    let (both, left) = join(completion)
    memoryCache.removeObject(forKey: key) {
      SYNC_POINT("tmcache.remove.afterMemory")
      left()
    }
    diskCache.removeObject(forKey: key, completion: left)
    both()
  }

  /// Removes every object from memory and from the disk.
  package func removeAllObjects(completion: (@Sendable () -> Void)? = nil) {
    if isInStep {
      return enqueue { cache in
        cache.removeAllInStep()
        completion?()
      }
    }
    let (both, left) = join(completion)
    memoryCache.removeAllObjects(completion: left)
    diskCache.removeAllObjects(completion: left)
    both()
  }

  /// Removes objects last used before a date from memory and from the disk.
  package func trim(toDate date: Date, completion: (@Sendable () -> Void)?) {
    let (both, left) = join(completion)
    memoryCache.trim(toDate: date, completion: left)
    diskCache.trim(toDate: date, completion: left)
    both()
  }

  /// The disk cache's byte count; as shipped read on the process's disk queue, so that a call from
  /// that queue traps.
  package var diskByteCount: Int { diskCache.ask { diskCache.byteCount } }

  // MARK: Synchronous forms

  /// Finds an object in memory, or else on the disk.
  package func object(forKey key: String) -> [UInt8]? {
    if isInStep { return objectInStep(forKey: key) }
    return waitForCallback { object(forKey: key, completion: $0) }
  }

  /// Stores an object in memory and on the disk.
  package func setObject(_ object: [UInt8], forKey key: String, cost: Int = 0) {
    if isInStep { return setInStep(object, forKey: key, cost: cost) }
    waitForCallback { done in setObject(object, forKey: key, cost: cost) { done(()) } }
  }

  /// Removes an object from memory and from the disk.
  package func removeObject(forKey key: String) {
    if isInStep { return removeInStep(key) }
    waitForCallback { done in removeObject(forKey: key) { done(()) } }
  }

  /// Removes every object from memory and from the disk.
  package func removeAllObjects() {
    if isInStep { return removeAllInStep() }
    waitForCallback { done in removeAllObjects { done(()) } }
  }

  /// Removes objects last used before a date from memory and from the disk.
  package func trim(toDate date: Date) {
    if repairs.contains(.synchronousCore) {
      memoryCache.trim(toDate: date)
      return diskCache.trim(toDate: date)
    }
    waitForCallback { done in trim(toDate: date) { done(()) } }
  }

  // MARK: The queue

  private var isInStep: Bool { repairs.contains(.layersInStep) }

  /// Runs an operation as a block on the queue, if the cache still exists then.
  private func enqueue(_ operation: @escaping @Sendable (TMCache) -> Void) {
    queue.async(execute: ifThere(operation))
  }

  private func ifThere(_ operation: @escaping @Sendable (TMCache) -> Void) -> @Sendable () -> Void {
    let withValue: @Sendable (()) -> Void = ifThere { cache, _ in operation(cache) }
    return { withValue(()) }
  }

  /// A callback that does nothing once the cache is freed; repaired, it retains the cache.
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
    _ completion: (@Sendable () -> Void)?
  ) -> (both: () -> Void, left: @Sendable () -> Void) {
    guard let completion else { return ({}, {}) }
    let group = DispatchGroup()
    group.enter()
    group.enter()
    let notified = ifThere { _ in completion() }
    let queue = queue
    return ({ group.notify(queue: queue, execute: notified) }, { group.leave() })
  }

  private func answerAnyway(_ completion: (@Sendable () -> Void)?) {
    if repairs.contains(.answersAlways), let completion { queue.async { completion() } }
  }
}
