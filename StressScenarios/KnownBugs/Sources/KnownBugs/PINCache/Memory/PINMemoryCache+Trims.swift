// After PINMemoryCache.m of PINCache 2.0 and of 3.0.4: -trimMemoryToDate:, -removeExpiredObjects,
// -trimToCostLimit:, -trimToCostLimitByDate: (2.0), -trimToCostLimitByEvictionStrategy: (3.0.4),
// -trimToAgeLimitRecursively.

import Dispatch
package import Foundation

extension PINMemoryCache {
  /// Removes objects that are older than a date: by last use in 2.0, by creation in 3.0.4, where a
  /// key with its own age limit stays. The distant past removes everything.
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

  /// Removes objects that are older than their own age limit; as in the original, objects past the
  /// cache's limit stay until a trim by date.
  package func removeExpiredObjects() {
    let now = clock()
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

  /// The keys that `choose` selects, in its order.
  ///
  /// Repair (pull request 317): sort a copy. 2.0 sorts under the lock, and other callers wait.
  private func keys(
    _ choose: (_ slots: [String: Slot]) -> some Sequence<(key: String, value: Slot)>
  ) -> [String] {
    if changes.contains(.sortsUnlocked) {
      // Other calls change the slots while this reads dates and costs without the lock, so it reads
      // copies, as the original copies its dictionaries.
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

  /// Trims to the age limit now, and again after that interval: an object stored just after a trim
  /// lives twice as long as the limit says (TMCache's issue 76).
  ///
  /// 2.0 does not end the previous chain when a new limit is set, so that every setting adds one.
  /// 3.0.4 ends it if the limit differs, not if the same limit is set twice.
  func trimToAgeLimitRecursively(chain: UInt64) {
    let limit = locked { ageLimitNow }
    guard limit > 0 else { return }
    trim(to: Date(timeIntervalSinceNow: -limit))
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [self] in
      let goesOn = locked {
        // Repair: compare chain numbers, which differ for every setting.
        if changes.contains(.oneAgeChain) { return chain == ageChain }
        return version == .two || limit == ageLimitNow
      }
      if goesOn { scheduler.schedule(.low) { self.trimToAgeLimitRecursively(chain: chain) } }
    }
  }
}
