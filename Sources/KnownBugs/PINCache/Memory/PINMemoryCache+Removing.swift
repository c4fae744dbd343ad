// After PINMemoryCache.m of PINCache 2.0 and of 3.0.4: -removeObjectAndExecuteBlocksForKey:,
// -removeAllObjects, -enumerateObjectsWithBlock:.

import Foundation
import Interlock

extension PINMemoryCache {
  /// Removes the object under a key, if there is one.
  package func removeObject(forKey key: String) {
    removeObjectAndExecuteBlocks(forKey: key)
  }

  /// Removes a key in two phases, and tells of it.
  ///
  /// The cost is read in the first and subtracted in the second. Two removals of one key subtract
  /// it twice; and a value that was stored between the phases is removed in the place of the one
  /// that was announced.
  func removeObjectAndExecuteBlocks(forKey key: String) {
    let (object, number, costBefore, willRemove, didRemove) = locked {
      let slot = slots[key]
      return (
        slot?.object, slot?.number, slot?.cost ?? 0, events.willRemoveObject,
        events.didRemoveObject
      )
    }
    if object == nil, changes.contains(.sortsUnlocked) { return }
    SYNC_POINT("pinmemorycache.remove.afterRead")
    willRemove?(self, key, object)
    SYNC_POINT("pinmemorycache.remove.afterWillRemove")
    locked {
      let slot = slots[key]
      // Repair: another object has come under the key, and nobody was told that it goes.
      if changes.contains(.removesWhatWasAnnounced), slot?.number != number { return }
      // Repair: the cost is read where it is subtracted, so that it can be subtracted once only.
      costOfAll &-= changes.contains(.costReadWhereSubtracted) ? slot?.cost ?? 0 : costBefore
      if let slot, slot.object == nil { phantoms -= 1 }
      changeNumber &+= 1
      slot?.isPresent = false
      slots[key] = nil
    }
    // The original's local variable keeps the object until here.
    withExtendedLifetime(object) {}
    didRemove?(self, key, nil)
  }

  /// Removes every object.
  package func removeAllObjects() {
    let (willRemove, didRemove) = locked {
      (events.willRemoveAllObjects, events.didRemoveAllObjects)
    }
    willRemove?(self)
    let removed = locked {
      // Repair: the objects live until the lock is free; as shipped each `deinit` runs under the
      // lock.
      let kept = changes.contains(.releasesUnlocked) ? slots : [:]
      for slot in slots.values { slot.isPresent = false }
      slots.removeAll()
      phantoms = 0
      costOfAll = 0
      changeNumber &+= 1
      return kept
    }
    withExtendedLifetime(removed) {}
    didRemove?(self)
  }

  /// Calls `body` with each object, in the order in which they came into the cache, until it
  /// answers `false`.
  ///
  /// As shipped `body` runs under the lock: to call the cache from it never returns, which the
  /// original's header says. 2.0 goes by the time of the last use.
  package func enumerateObjects(_ body: (_ key: String, _ object: PINObject) -> Bool) {
    // Repair: over a copy, without the lock.
    if changes.contains(.enumeratesCopy) {
      for (key, object) in locked({ objectsInOrder() }) where !body(key, object) { return }
    } else {
      locked {
        for (key, object) in objectsInOrder() where !body(key, object) { return }
      }
    }
  }

  /// Under the lock: what an enumeration shows.
  private func objectsInOrder() -> [(String, PINObject)] {
    let now = Date()
    let byUse = version == .two
    return
      slots
      .filter { $0.value.object != nil && !(hidesExpired && isExpired($0.value, at: now)) }
      .sorted {
        byUse ? $0.value.use < $1.value.use : $0.value.number < $1.value.number
      }
      .compactMap { key, slot in slot.object.map { (key, $0) } }
  }
}
