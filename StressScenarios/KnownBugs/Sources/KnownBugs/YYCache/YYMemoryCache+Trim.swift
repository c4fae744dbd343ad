import Dispatch
import Foundation
import Interlock
import Synchronization

// `_trimToCost:`, `_trimToCount:`.
extension YYMemoryCache {
  /// Removes the least recently used entries down to this total cost; 0 removes all.
  func trim(toCost limit: Int) {
    trim(removesAll: limit == 0) { $0.totalCost > limit }
  }

  /// Removes the least recently used entries down to this number; 0 removes all.
  func trim(toCount limit: Int) {
    trim(removesAll: limit == 0) { $0.count > limit }
  }

  /// Trims to both limits, as the original does after each interval.
  func trimToLimits() {
    trim(toCost: costLimit)
    trim(toCount: countLimit)
  }

  /// Returns when every trim requested so far has ended.
  func waitForTrims() {
    queue.sync {}
  }

  /// The highest number of requested trims that had not ended at one time.
  var mostTrimsAtOnce: Int { mostTrimsUnderWay.load(ordering: .relaxed) }

  /// Requests a trim to the cost limit; called under the lock.
  func askForTrim() {
    if repairs.contains(.asksForOneTrim) {
      if isTrimAskedFor { return }
      isTrimAskedFor = true
    }
    let count = trimsUnderWay.add(1, ordering: .relaxed).newValue
    mostTrimsUnderWay.max(count, ordering: .relaxed)
    queue.async { [self] in
      SYNC_POINT("yymemorycache.trimBlock.begins")
      if repairs.contains(.asksForOneTrim) { withMutex { isTrimAskedFor = false } }
      trim(toCost: costLimit)
      trimsUnderWay.subtract(1, ordering: .relaxed)
    }
  }

  private func trim(removesAll: Bool, while isAbove: (YYLinkedMap) -> Bool) {
    lock()
    let removed = removesAll ? removeAllUnderLock() : nil
    let isDone = removesAll || !isAbove(map)
    mutex.unlock()
    withExtendedLifetime(removed) {}
    if isDone { return }
    SYNC_POINT("yymemorycache.trim.aboveLimit")
    let taken = repairs.contains(.trimsInTurn) ? takeInTurn(isAbove) : takeByTrying(isAbove)
    // Release on the queue, whatever the settings, as the original does.
    if !taken.isEmpty { releaseLater(Removed(taken)) }
  }

  /// As shipped: one entry for each successful try-lock, and a sleep for each failed one. If
  /// callers keep the mutex busy, the trim makes no progress.
  private func takeByTrying(_ isAbove: (YYLinkedMap) -> Bool) -> [YYLinkedMapNode] {
    var taken: [YYLinkedMapNode] = []
    while true {
      if mutex.tryLock() {
        let node = isAbove(map) ? map.removeTail() : nil
        mutex.unlock()
        guard let node else { return taken }
        taken.append(node)
      } else {
        SYNC_POINT("yymemorycache.trim.foundTaken")
        usleep(10_000)
        SYNC_POINT("yymemorycache.trim.triesAgain")
      }
    }
  }

  /// Repaired: later callers wait at the turnstile until the trim has ended, so that only callers
  /// that passed it before can overtake the trim.
  private func takeInTurn(_ isAbove: (YYLinkedMap) -> Bool) -> [YYLinkedMapNode] {
    var taken: [YYLinkedMapNode] = []
    turnstile.lock()
    // Releasing: pairs with the acquiring load in `lock`.
    doesTrimWait.store(true, ordering: .releasing)
    if !mutex.tryLock() {
      SYNC_POINT("yymemorycache.trim.foundTaken")
      mutex.lock()
      SYNC_POINT("yymemorycache.trim.triesAgain")
    }
    while isAbove(map), let node = map.removeTail() { taken.append(node) }
    mutex.unlock()
    doesTrimWait.store(false, ordering: .releasing)
    turnstile.unlock()
    return taken
  }

  // MARK: Where removed objects are released

  // The original decides it under the lock: on a low-priority queue, or at once.

  /// Releases a removed object; called under the lock.
  ///
  /// - Returns: The object that the caller has to retain until it releases the lock
  ///   (`releasesOutsideLock`). As shipped `nil`: without a queue the object's `deinit` runs here,
  ///   under the lock.
  @discardableResult
  func dispose(_ object: AnyObject?) -> AnyObject? {
    guard let object else { return nil }
    if releasesAsynchronously {
      releaseLater(object)
      return nil
    }
    return repairs.contains(.releasesOutsideLock) ? object : nil
  }

  /// Releases all entries at once.
  @discardableResult
  func dispose(_ nodes: [String: YYLinkedMapNode]) -> AnyObject? {
    nodes.isEmpty ? nil : dispose(Removed(nodes))
  }

  private func releaseLater(_ object: AnyObject) {
    // Safe: no other code uses the object, and the block only releases it.
    nonisolated(unsafe) let object = object
    DispatchQueue.global(qos: .utility).async { withExtendedLifetime(object) {} }
  }
}

/// Several nodes as one object, as the original passes its whole dictionary or an array.
private final class Removed<Nodes: Collection> {
  let nodes: Nodes

  init(_ nodes: Nodes) {
    self.nodes = nodes
  }
}
