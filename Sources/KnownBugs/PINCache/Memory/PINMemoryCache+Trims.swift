// After PINMemoryCache.m of PINCache 2.0 and of 3.0.4: -trimMemoryToDate:, -removeExpiredObjects,
// -trimToCostLimit:, -trimToCostLimitByDate: (2.0), -trimToCostLimitByEvictionStrategy: (3.0.4),
// -trimToAgeLimitRecursively.

import Dispatch
package import Foundation

extension PINMemoryCache {
  /// Removes what is older than a date: by its last use in 2.0, by its coming into the cache in
  /// 3.0.4, where a key with an age limit of its own stays. The distant past removes everything.
  package func trim(to date: Date) {
    if date == .distantPast { return removeAllObjects() }
    let old = keys {
      $0.filter { _, slot in
        version == .two
          ? slot.accessed < date
          : slot.object != nil && slot.ageLimit <= 0 && slot.created < date
      }
      .sorted { $0.value.use < $1.value.use }
    }
    for key in old { removeObjectAndExecuteBlocks(forKey: key) }
  }

  /// Removes what has an age limit of its own and is older: as in the original, what only the
  /// cache's own limit has made too old stays until a trim by date.
  package func removeExpiredObjects() {
    let now = Date()
    let expired = keys {
      $0.filter { _, slot in
        slot.object != nil && slot.ageLimit > 0
          && slot.created.addingTimeInterval(slot.ageLimit) < now
      }
    }
    for key in expired { removeObjectAndExecuteBlocks(forKey: key) }
  }

  /// Removes the costliest objects until the total cost is at most `cost`.
  package func trimToCost(_ cost: UInt) {
    guard costNow > cost else { return }
    remove(keys { $0.sorted { $0.value.cost > $1.value.cost } }, untilCostIs: cost)
  }

  /// Removes objects by the eviction strategy until the total cost is at most `cost`.
  package func trimToCostByEvictionStrategy(_ cost: UInt) {
    if hidesExpired { removeExpiredObjects() }
    guard costNow > cost else { return }
    let byCount = evictionStrategy == .leastFrequentlyUsed
    remove(
      keys {
        $0.sorted { first, second in
          if byCount, first.value.accessCount != second.value.accessCount {
            return first.value.accessCount < second.value.accessCount
          }
          return first.value.use < second.value.use
        }
      }, untilCostIs: cost)
  }

  /// The keys that `choose` picks, in its order.
  ///
  /// Repair (pull request 317): the choice is made on a copy. 2.0 sorts under the lock, and whoever
  /// comes waits.
  private func keys(
    _ choose: (_ slots: [String: Slot]) -> some Sequence<(key: String, value: Slot)>
  ) -> [String] {
    if changes.contains(.sortsUnlocked) {
      // The slots change under the lock while this reads dates and costs without it, which Swift
      // does not allow: so they are copied, as the original copies its dictionaries of them.
      let copies = locked { slots.mapValues { $0.copy() } }
      return choose(copies).map(\.key)
    }
    return locked { choose(slots).map(\.key) }
  }

  private var costNow: UInt { locked { costOfAll } }

  private func remove(_ keys: [String], untilCostIs limit: UInt) {
    for key in keys {
      removeObjectAndExecuteBlocks(forKey: key)
      if costNow <= limit { return }
    }
  }

  /// Trims to the age limit now, and again after as many seconds: what is stored just after a trim
  /// lives twice as long as the limit says (TMCache's issue 76).
  ///
  /// 2.0 does not end the chain of the last limit when a new one is set, so that every setting adds
  /// one. 3.0.4 ends it if the limit is another, not if the same is set twice.
  func trimToAgeLimitRecursively(chain: UInt64) {
    let limit = locked { ageLimitNow }
    guard limit > 0 else { return }
    trim(to: Date(timeIntervalSinceNow: -limit))
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [self] in
      let goesOn = locked {
        // Repair: told by a number, which is another one for every setting.
        if changes.contains(.oneAgeChain) { return chain == ageChain }
        return version == .two || limit == ageLimitNow
      }
      if goesOn { scheduler.schedule(.low) { self.trimToAgeLimitRecursively(chain: chain) } }
    }
  }
}
