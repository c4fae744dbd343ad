internal import Foundation
import Interlock

// Memory and disk in step: each change of both is one critical section under the directory's lock.
// A second critical section stores in memory what a read found on the disk, if the file is
// unchanged since the read. Lock order: the disk's lock before memory's. The user's blocks are
// called with no lock held.
extension TMCache {
  func objectInStep(forKey key: String) -> [UInt8]? {
    if let object = memoryCache.object(forKey: key) {
      // Notes the access on the disk.
      diskCache.fileURL(forKey: key) { _ in }
      return object
    }
    SYNC_POINT("tmcache.get.afterMemoryMiss")
    let now = Date()
    let (object, version) = diskCache.readObject(forKey: key, at: now)
    SYNC_POINT("tmcache.get.afterDiskRead")
    guard let object else { return nil }
    SYNC_POINT("tmcache.get.beforeBackFill")
    let isKept = diskCache.access {
      diskCache.directory.version(of: key) == version
        && memoryCache.access { memoryCache.store.insertIfAbsent(object, forKey: key, at: now) }
    }
    // Call both blocks afterwards: not under the locks, and only if the object was kept.
    if isKept { memoryCache.tellOfInsertion(object, forKey: key) }
    return object
  }

  func setInStep(_ object: [UInt8], forKey key: String, cost: Int) {
    let now = Date()
    memoryCache.access { memoryCache.settings.willAddObject }?(memoryCache, key, object)
    _ = diskCache.write(object, forKey: key, at: now) {
      _ = memoryCache.access {
        memoryCache.store.insert(object, forKey: key, cost: cost, at: now)
      }
    }
    memoryCache.access { memoryCache.settings.didAddObject }?(memoryCache, key, object)
    memoryCache.trimToCostLimit()
    SYNC_POINT("tmcache.set.afterMemory")
  }

  func removeInStep(_ key: String) {
    let object = memoryCache.access { memoryCache.store.object(forKey: key) }
    memoryCache.access { memoryCache.settings.willRemoveObject }?(memoryCache, key, object)
    diskCache.removeAndTell(key) {
      _ = memoryCache.access { memoryCache.store.remove(key) }
    }
    memoryCache.access { memoryCache.settings.didRemoveObject }?(memoryCache, key, nil)
    SYNC_POINT("tmcache.remove.afterMemory")
  }

  func removeAllInStep() {
    memoryCache.access { memoryCache.settings.willRemoveAllObjects }?(memoryCache)
    diskCache.removeAllAndTell {
      _ = memoryCache.access { memoryCache.store.removeAll() }
    }
    memoryCache.access { memoryCache.settings.didRemoveAllObjects }?(memoryCache)
  }
}
