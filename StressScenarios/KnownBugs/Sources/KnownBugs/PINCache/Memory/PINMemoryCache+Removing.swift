// After PINMemoryCache.m of PINCache 2.0 and of 3.0.4: -removeObjectAndExecuteBlocksForKey:,
// -removeAllObjects, -enumerateObjectsWithBlock:.

import Foundation
import Interlock

extension PINMemoryCache {
  /// Removes the object under a key, if there is one.
  package func removeObject(forKey key: String) {
    removeObjectAndExecuteBlocks(forKey: key)
  }

  /// Removes a key in two phases, and calls the blocks.
  ///
  /// The first phase reads the cost and the second subtracts it. Two removals of one key subtract
  /// it twice; and a value stored between the phases is removed instead of the announced one.
  func removeObjectAndExecuteBlocks(forKey key: String) {
    turn?.lock()
    defer { turn?.unlock() }
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
      // Repair: keep a newer object under the key, whose removal was not announced. With
      // `changesInTurn`, only the block of this removal can have stored one.
      if changes.contains(.removesWhatWasAnnounced), slot?.number != number { return }
      // Repair: read the cost in the same phase, so that it is subtracted only once.
      costOfAll &-= changes.contains(.costReadWhereSubtracted) ? slot?.cost ?? 0 : costBefore
      if let slot, slot.object == nil { phantoms -= 1 }
      changeNumber &+= 1
      slot?.isPresent = false
      slots[key] = nil
    }
    // The original's local variable keeps the object alive until here.
    withExtendedLifetime(object) {}
    didRemove?(self, key, nil)
  }

  /// Removes every object.
  package func removeAllObjects() {
    turn?.lock()
    defer { turn?.unlock() }
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

  /// Calls `body` with each object, in the order in which they were stored, until it returns
  /// `false`.
  ///
  /// As shipped `body` runs under the lock: a call of the cache from it never returns, as the
  /// original's header says. The order in 2.0 is that of the last use.
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
