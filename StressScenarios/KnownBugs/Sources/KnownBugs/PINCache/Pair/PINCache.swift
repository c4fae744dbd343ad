import Caches
import Foundation
import Interlock
import Synchronization

/// PINCache: a memory cache before a disk cache of the same version. After PINCache.m of PINCache
/// 2.0 and of 3.0.4.
///
/// As shipped it has no lock. A synchronous call goes to one layer after the other on the calling
/// thread: no thread waits for a callback, so the thread pool cannot starve, which is why it was
/// forked from TMCache. Other calls may run between the two steps: a read that misses in memory,
/// and finds the old object on disk, stores it in memory over a newer one (TMCache's issue 48,
/// still open).
final class PINCache: Cache {
  let memory: PINMemoryCache
  let disk: any PINDisk
  private let changes: PINChanges
  /// Held over each change of both layers, which share it. `nil` without the repair.
  private let turn: PINTurn?
  private let version: PINVersion
  private let scheduler: PINScheduler

  /// A pair over the directory of this name.
  init(
    _ version: PINVersion, name: String, root: String, options: PINDiskOptions = PINDiskOptions()
  ) {
    self.version = version
    changes = options.changes ?? version.shipped
    scheduler = options.scheduler
    turn = changes.contains(.changesInTurn) ? PINTurn() : nil
    memory = PINMemoryCache(version, changes: changes, scheduler: scheduler, turn: turn)
    var options = options
    options.changes = changes
    options.turn = turn
    disk =
      version == .two
      ? PINDiskCache2(name: name, root: root, options: options)
      : PINDiskCache3(name: name, root: root, options: options)
  }

  /// The bytes under a key: from memory, or from disk, which also stores them in memory.
  func value(forKey key: String) -> [UInt8]? {
    let stamp = memory.changeStamp
    if let object = memory.object(forKey: key) {
      disk.touch(key)
      return object.bytes
    }
    guard let object = disk.object(forKey: key) else { return nil }
    SYNC_POINT("pincache.get.afterDiskRead")
    backFill(object, forKey: key, stamp: stamp)
    return object.bytes
  }

  /// Stores in memory what was read from disk.
  ///
  /// Repair: only if memory is unchanged since before the miss.
  private func backFill(_ object: PINObject, forKey key: String, stamp: UInt64) {
    if changes.contains(.backFillStamped) {
      memory.setObject(object, forKey: key, ifUnchangedSince: stamp)
    } else {
      memory.setObject(object, forKey: key)
    }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    let object = PINObject(value)
    inBoth(
      { $0.setObject(object, forKey: key, withCost: UInt(bitPattern: cost)) },
      { $0.setObject(object, forKey: key) })
  }

  func removeValue(forKey key: String) {
    inBoth({ $0.removeObject(forKey: key) }, { $0.removeObject(forKey: key) })
  }

  func removeAllValues() {
    inBoth({ $0.removeAllObjects() }, { $0.removeAllObjects() })
  }

  /// How many keys the disk cache has on record.
  var count: Int { disk.count }

  /// Memory, then disk. Repair: the other way round, so that a read of the old file precedes the
  /// change of the stamp.
  private func inBoth(_ first: (PINMemoryCache) -> Void, _ second: (any PINDisk) -> Void) {
    turn?.lock()
    defer { turn?.unlock() }
    if changes.contains(.backFillStamped) {
      second(disk)
      first(memory)
      // A key that was not in memory has left the stamp unchanged: change it here.
      memory.noteChange()
    } else {
      first(memory)
      second(disk)
    }
  }

  // MARK: The asynchronous methods

  /// Reads a key, in one step on the scheduler for each layer.
  ///
  /// In 2.0 every step has a weak reference to the cache: once the last strong one is released,
  /// `completion` is never called.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let owner: @Sendable () -> PINCache?
    if version == .two {
      owner = { [weak self] in self }
    } else {
      owner = { self }
    }
    scheduler.schedule {
      guard let cache = owner() else { return }
      let stamp = cache.memory.changeStamp
      cache.memory.object(forKey: key) { found in
        guard let cache = owner() else { return }
        if let found {
          cache.disk.touch(key)
          return cache.finish(owner, found, completion)
        }
        cache.disk.object(forKey: key) { (read: PINObject?) in
          guard let cache = owner() else { return }
          if let read {
            cache.scheduler.schedule { cache.backFill(read, forKey: key, stamp: stamp) }
          }
          cache.finish(owner, read, completion)
        }
      }
    }
  }

  private func finish(
    _ owner: @escaping @Sendable () -> PINCache?, _ object: PINObject?,
    _ completion: @escaping @Sendable ([UInt8]?) -> Void
  ) {
    scheduler.schedule { if owner() != nil { completion(object?.bytes) } }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    let object = PINObject(value)
    inBothLater(
      { $0.setObject(object, forKey: key, withCost: UInt(bitPattern: cost)) },
      { $0.setObject(object, forKey: key) }, completion)
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    inBothLater({ $0.removeObject(forKey: key) }, { $0.removeObject(forKey: key) }, completion)
  }

  /// Changes memory and disk concurrently, and completes when both are done.
  private func inBothLater(
    _ first: @escaping @Sendable (PINMemoryCache) -> Void,
    _ second: @escaping @Sendable (any PINDisk) -> Void,
    _ completion: @escaping @Sendable () -> Void
  ) {
    // Repairs: disk first, or both in one step, as in the synchronous methods.
    if changes.contains(.backFillStamped) || changes.contains(.changesInTurn) {
      return scheduler.schedule { [self] in
        inBoth(first, second)
        completion()
      }
    }
    let both = PINCountdown(2) { [scheduler] in scheduler.schedule(completion) }
    scheduler.schedule { [memory] in
      first(memory)
      both.count()
    }
    scheduler.schedule { [disk] in
      second(disk)
      both.count()
    }
  }
}

extension PINMemoryCache {
  /// A number that changes with each change of the stored objects.
  fileprivate var changeStamp: UInt64 { locked { changeNumber } }

  /// Counts a change that did not go through memory.
  fileprivate func noteChange() { locked { changeNumber &+= 1 } }

  /// Stores an object if nothing has changed since the stamp; check and change are one step.
  fileprivate func setObject(
    _ object: PINObject, forKey key: String, ifUnchangedSince stamp: UInt64
  ) {
    let old = locked { () -> PINObject? in
      guard changeNumber == stamp else { return nil }
      return store(object, forKey: key, cost: 0)
    }
    withExtendedLifetime(old) {}
  }
}

/// Calls a block on the last of a number of counts, as a Dispatch group's notification, but on the
/// thread of that count.
private final class PINCountdown: Sendable {
  private let left: Atomic<Int>
  private let block: @Sendable () -> Void

  init(_ count: Int, _ block: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.block = block
  }

  func count() {
    // Acquiring and releasing: the block sees all work that precedes each count.
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { block() }
  }
}
