import Dispatch
import Interlock
import Synchronization

// `_trimToCost:`, `_trimToCount:`, `_trimToAge:`, `_trimInBackground` and `_trimRecursively`.
extension YYMemoryCache {
  /// Removes the least recently used entries down to this total cost; 0 removes all.
  func trim(toCost limit: Int) {
    trim(removesAll: limit == 0) { $0.totalCost > limit }
  }

  /// Removes the least recently used entries down to this number; 0 removes all.
  func trim(toCount limit: Int) {
    trim(removesAll: limit == 0) { $0.count > limit }
  }

  /// Removes entries that have not been used for this many seconds; 0 or less removes all.
  func trim(toAge limit: Double) {
    let now = clock()
    trim(removesAll: limit <= 0) { map in
      guard let time = map.oldestTime else { return false }
      return now - time > limit
    }
  }

  /// Trims to all limits, as the original does after each interval.
  func trimToLimits() {
    trim(toCost: costLimit)
    trim(toCount: countLimit)
    trim(toAge: ageLimit)
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

  /// Trims to all limits after each interval while the cache lives.
  func trimAgain(after interval: Double) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self else { return }
      queue.async { [self] in trimToLimits() }
      trimAgain(after: interval)
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
    releaseLater(repairs.contains(.trimsInTurn) ? takeInTurn(isAbove) : takeByTrying(isAbove))
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
        SystemTime.sleep(milliseconds: 10)
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
}
