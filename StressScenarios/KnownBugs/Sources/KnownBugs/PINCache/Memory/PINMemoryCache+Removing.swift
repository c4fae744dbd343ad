import Dispatch
import Foundation
import Interlock

extension PINMemoryCache {
  /// Removes a key in two phases, and calls the blocks:
  /// -removeObjectAndExecuteBlocksForKey:.
  ///
  /// The first phase reads the cost and the second subtracts it. Two removals of one key subtract
  /// it twice; and a value stored between the phases is removed instead of the announced one.
  func removeObject(forKey key: String) {
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

  func removeAllObjects() {
    turn?.lock()
    defer { turn?.unlock() }
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
  }

  // MARK: Trims

  /// Removes objects that are older than a date: by last use in 2.0, by creation in 3.0.4.
  func trim(to date: Date) {
    let byUse = version == .two
    let old = keys(
      where: { byUse ? $0.accessed < date : $0.object != nil && $0.created < date },
      by: { $0.use < $1.use })
    for key in old { removeObject(forKey: key) }
  }

  /// Removes the costliest objects until the total cost is at most `cost`.
  func trimToCost(_ cost: UInt) { remove(untilCostIs: cost) { $0.cost > $1.cost } }

  /// Removes the least recently used objects until the total cost is at most `cost`.
  func trimToCostByDate(_ cost: UInt) { remove(untilCostIs: cost) { $0.use < $1.use } }

  private func remove(untilCostIs limit: UInt, by comesFirst: (Slot, Slot) -> Bool) {
    guard costNow > limit else { return }
    for key in keys(by: comesFirst) {
      removeObject(forKey: key)
      if costNow <= limit { return }
    }
  }

  private var costNow: UInt { locked { costOfAll } }

  /// The keys of the chosen slots, in this order.
  ///
  /// Repair (pull request 317): sort a copy. 2.0 sorts under the lock, and other callers wait.
  private func keys(
    where isMeant: (Slot) -> Bool = { _ in true }, by comesFirst: (Slot, Slot) -> Bool
  ) -> [String] {
    func chosen(_ slots: [String: Slot]) -> [String] {
      slots.filter { isMeant($0.value) }.sorted { comesFirst($0.value, $1.value) }.map(\.key)
    }
    if !changes.contains(.sortsUnlocked) { return locked { chosen(slots) } }
    // Other calls change the slots while this reads dates and costs without the lock, so it reads
    // copies, as the original copies its dictionaries.
    let copies = locked {
      slots.mapValues { slot in
        let copy = Slot(accessed: slot.accessed)
        (copy.object, copy.cost, copy.created) = (slot.object, slot.cost, slot.created)
        copy.use = slot.use
        return copy
      }
    }
    return chosen(copies)
  }

  /// Trims to this number of seconds at once, and again after each such interval; 0 ends that.
  func setAgeLimit(_ limit: TimeInterval) {
    let chain = locked {
      ageLimitNow = limit
      ageChain &+= 1
      return ageChain
    }
    trimToAgeLimitRecursively(chain: chain)
  }

  /// Trims to the age limit now, and again after that interval: an object stored just after a trim
  /// lives twice as long as the limit says (TMCache's issue 76).
  ///
  /// 2.0 does not end the previous chain when a new limit is set, so that every setting adds one.
  /// 3.0.4 ends it if the limit differs, not if the same limit is set twice.
  private func trimToAgeLimitRecursively(chain: UInt64) {
    let limit = locked { ageLimitNow }
    guard limit > 0 else { return }
    trim(to: Date(timeIntervalSinceNow: -limit))
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [self] in
      let goesOn = locked {
        // Repair: compare chain numbers, which differ for every setting.
        if changes.contains(.oneAgeChain) { return chain == ageChain }
        return version == .two || limit == ageLimitNow
      }
      if goesOn { scheduler.schedule { self.trimToAgeLimitRecursively(chain: chain) } }
    }
  }

  /// Sets one of the blocks, under the lock.
  func setEvent(
    _ path: WritableKeyPath<ChangeBlocks<ObjectBlock>, ObjectBlock?>, _ block: ObjectBlock?
  ) {
    locked { events[keyPath: path] = block }
  }
}
