internal import Dispatch
internal import Foundation

// The operations, including the user's blocks. As shipped they run under the barrier; repaired, on
// the caller's thread, with the lock in `access` alone and no block under it. Replaced and removed
// objects are freed accordingly: under the barrier, or without a lock.

extension TMMemoryCache {
  func insert(_ object: Object, forKey key: String, cost: Int, at date: Date) {
    access { settings.willAddObject }?(self, key, object)
    _ = access { store.insert(object, forKey: key, cost: cost, at: date) }
    access { settings.didAddObject }?(self, key, object)
    trimToCostLimit()
  }

  func removeAndTell(_ key: String) {
    let object = access { store.object(forKey: key) }
    access { settings.willRemoveObject }?(self, key, object)
    _ = access { store.remove(key) }
    access { settings.didRemoveObject }?(self, key, nil)
  }

  func removeAllAndTell() {
    access { settings.willRemoveAllObjects }?(self)
    _ = access { store.removeAll() }
    access { settings.didRemoveAllObjects }?(self)
  }

  func enumerate(_ body: (String, Object?) -> Void) {
    let objects = access { store.keysByDate.map { ($0, store.object(forKey: $0)) } }
    for (key, object) in objects { body(key, object) }
  }

  /// Trims after an insertion; as shipped in a separate barrier.
  func trimToCostLimit() {
    let limit = access { settings.costLimit }
    guard limit > 0 else { return }
    if repairs.contains(.synchronousCore) {
      removeOldest(toCost: limit)
    } else {
      trim(toCostByDate: limit, completion: nil)
    }
  }

  func removeCostliest(toCost limit: Int) {
    remove(toCost: limit) { store.keysByCost }
  }

  func removeOldest(toCost limit: Int) {
    remove(toCost: limit) { store.keysByDate }
  }

  private func remove(toCost limit: Int, inOrder keys: () -> [String]) {
    let order = access { store.totalCost > limit ? keys() : [] }
    for key in order {
      removeAndTell(key)
      if access({ store.totalCost <= limit }) { return }
    }
  }

  func removeObjects(olderThan date: Date) {
    for key in access({ store.keys(olderThan: date) }) { removeAndTell(key) }
  }

  /// Trims now, and again after each `ageLimit` while there is one.
  func trimToAgeLimitRecursively() {
    let limit = access { settings.ageLimit }
    guard limit > 0 else { return }
    removeObjects(olderThan: Date(timeIntervalSinceNow: -limit))
    let chain = access {
      settings.ageTimers += 1
      return settings.ageChain
    }
    let barrier = !repairs.contains(.synchronousCore)
    queue.asyncAfter(deadline: .now() + limit) { [weak self] in
      self?.enqueue(barrier: barrier) { cache in
        let goesOn = cache.access {
          guard cache.settings.ageChain == chain else { return false }
          cache.settings.ageTimers -= 1
          return true
        }
        if goesOn { cache.trimToAgeLimitRecursively() }
      }
    }
  }
}

extension TMMemoryCache {
  /// Calls the will and did blocks of an insertion that has been made.
  func tellOfInsertion(_ object: Object, forKey key: String) {
    access { settings.willAddObject }?(self, key, object)
    access { settings.didAddObject }?(self, key, object)
  }
}
