// After PINCache.m of PINCache 2.0 and of 3.0.4: -initWithName:rootPath:…, -objectForKey:,
// -containsObjectForKey:, -setObject:forKey:withCost:ageLimit:, -removeObjectForKey:, -trimToDate:,
// -removeExpiredObjects, -removeAllObjects, -diskByteCount.

package import Foundation
import Interlock

/// PINCache: a memory cache before a disk cache of the same version.
///
/// As shipped it has no lock. A synchronous call goes to one layer after the other on the calling
/// thread: no thread waits for a callback, so the thread pool cannot starve, which is why it was
/// forked from TMCache. Other calls may run between the two steps: a read that misses in memory,
/// and finds the old object on disk, stores it in memory over a newer one (TMCache's issue 48,
/// still open).
package final class PINCache: Sendable {
  /// The cache's name.
  package let name: String
  /// The first layer that a read asks.
  package let memory: PINMemoryCache
  /// The second layer.
  package let disk: any PINDisk
  let changes: PINChanges
  /// Held over each change of both layers, which share it. `nil` without the repair.
  private let turn: PINTurn?
  let version: PINVersion
  let scheduler: any PINScheduler

  /// A pair over the directory of this name.
  package init(
    _ version: PINVersion, name: String, root: String, options: PINDiskOptions = PINDiskOptions()
  ) {
    self.name = name
    self.version = version
    changes = options.changes ?? version.shipped
    scheduler = options.scheduler
    turn = changes.contains(.changesInTurn) ? PINTurn() : nil
    memory = PINMemoryCache(
      version, changes: changes, scheduler: options.scheduler, isTTLCache: options.isTTLCache,
      evictionStrategy: options.evictionStrategy, turn: turn)
    var options = options
    options.changes = changes
    options.turn = turn
    disk =
      version == .two
      ? PINDiskCache2(name: name, root: root, options: options)
      : PINDiskCache3(name: name, root: root, options: options)
  }

  /// Whether there is an object under a key.
  package func containsObject(forKey key: String) -> Bool {
    memory.containsObject(forKey: key) || disk.containsObject(forKey: key)
  }

  /// The object under a key: from memory, or from disk, which also stores it in memory.
  package func object(forKey key: String) -> PINObject? {
    let stamp = memory.changeStamp
    if let object = memory.object(forKey: key) {
      disk.touch(key)
      return object
    }
    SYNC_POINT("pincache.get.afterMemoryMiss")
    guard let object = disk.object(forKey: key) else { return nil }
    SYNC_POINT("pincache.get.afterDiskRead")
    backFill(object, forKey: key, stamp: stamp)
    return object
  }

  /// Stores in memory what was read from disk.
  ///
  /// Repair: only if memory is unchanged since before the miss.
  func backFill(_ object: PINObject, forKey key: String, stamp: UInt64) {
    if changes.contains(.backFillStamped) {
      memory.setObject(object, forKey: key, ifUnchangedSince: stamp)
    } else {
      memory.setObject(object, forKey: key)
    }
  }

  /// Stores an object in memory and on disk; returns its file's path, or `nil` if it could not
  /// be written.
  @discardableResult
  package func setObject(
    _ object: PINObject, forKey key: String, withCost cost: UInt = 0, ageLimit: TimeInterval = 0
  ) -> String? {
    turn?.lock()
    defer { turn?.unlock() }
    // Repair: disk first, so that a read of the old file precedes the change of the stamp.
    if changes.contains(.backFillStamped) {
      let path = disk.setObject(object, forKey: key, ageLimit: ageLimit)
      memory.setObject(object, forKey: key, withCost: cost, ageLimit: ageLimit)
      return path
    }
    memory.setObject(object, forKey: key, withCost: cost, ageLimit: ageLimit)
    SYNC_POINT("pincache.set.betweenLayers")
    return disk.setObject(object, forKey: key, ageLimit: ageLimit)
  }

  /// Removes a key.
  package func removeObject(forKey key: String) {
    inBoth({ $0.removeObject(forKey: key) }, { $0.removeObject(forKey: key) })
  }

  /// Removes objects that are older than a date.
  package func trim(to date: Date) {
    inBoth({ $0.trim(to: date) }, { $0.trim(to: date) })
  }

  /// Removes expired objects.
  package func removeExpiredObjects() {
    inBoth({ $0.removeExpiredObjects() }, { $0.removeExpiredObjects() })
  }

  /// Removes everything.
  package func removeAllObjects() {
    inBoth({ $0.removeAllObjects() }, { $0.removeAllObjects() })
  }

  /// Memory, then disk. Repair: the other way round, for the reason above.
  func inBoth(_ first: (PINMemoryCache) -> Void, _ second: (any PINDisk) -> Void) {
    turn?.lock()
    defer { turn?.unlock() }
    if changes.contains(.backFillStamped) {
      second(disk)
      first(memory)
      // A key that was not in memory has left the stamp unchanged: change it here.
      memory.noteChange()
    } else {
      first(memory)
      SYNC_POINT("pincache.remove.betweenLayers")
      second(disk)
    }
  }

  /// The disk cache's sum of its files' sizes, in bytes.
  package var diskByteCount: UInt { disk.lockedByteCount }
}

extension PINMemoryCache {
  /// A number that changes with each change of the stored objects.
  var changeStamp: UInt64 { locked { changeNumber } }

  /// Counts a change that did not go through memory.
  func noteChange() { locked { changeNumber &+= 1 } }

  /// Stores an object if nothing has changed since the stamp; check and change are one step.
  func setObject(_ object: PINObject, forKey key: String, ifUnchangedSince stamp: UInt64) {
    let old = locked { () -> PINObject? in
      guard changeNumber == stamp else { return nil }
      return store(object, forKey: key, cost: 0, ageLimit: 0)
    }
    withExtendedLifetime(old) {}
  }
}
