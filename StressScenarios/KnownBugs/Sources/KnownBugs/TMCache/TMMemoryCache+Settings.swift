package import Foundation
import Synchronization

/// The memory cache's limits and blocks.
struct TMMemorySettings<Object: Sendable> {
  var willAddObject: TMMemoryCache<Object>.ObjectBlock?
  var didAddObject: TMMemoryCache<Object>.ObjectBlock?
  var willRemoveObject: TMMemoryCache<Object>.ObjectBlock?
  var didRemoveObject: TMMemoryCache<Object>.ObjectBlock?
  var willRemoveAllObjects: TMMemoryCache<Object>.CacheBlock?
  var didRemoveAllObjects: TMMemoryCache<Object>.CacheBlock?
  var didReceiveMemoryWarning: TMMemoryCache<Object>.CacheBlock?
  var didEnterBackground: TMMemoryCache<Object>.CacheBlock?
  var costLimit = 0
  var ageLimit = 0.0
  /// The number of the current chain of age timers; as shipped all chains stay current.
  var ageChain = 0
  /// How many age timers are running.
  var ageTimers = 0
}

// As shipped a getter is a `sync` on the queue, and a setter an asynchronous barrier.
extension TMMemoryCache {
  /// Called before an object is stored; under the barrier as shipped.
  package var willAddObject: ObjectBlock? {
    get { ask { settings.willAddObject } }
    set { change { $0.willAddObject = newValue } }
  }

  /// Called after an object was stored; under the barrier as shipped.
  package var didAddObject: ObjectBlock? {
    get { ask { settings.didAddObject } }
    set { change { $0.didAddObject = newValue } }
  }

  /// Called before an object is removed; under the barrier as shipped.
  package var willRemoveObject: ObjectBlock? {
    get { ask { settings.willRemoveObject } }
    set { change { $0.willRemoveObject = newValue } }
  }

  /// Called after an object was removed; under the barrier as shipped.
  package var didRemoveObject: ObjectBlock? {
    get { ask { settings.didRemoveObject } }
    set { change { $0.didRemoveObject = newValue } }
  }

  /// Called before everything is removed; under the barrier as shipped.
  package var willRemoveAllObjects: CacheBlock? {
    get { ask { settings.willRemoveAllObjects } }
    set { change { $0.willRemoveAllObjects = newValue } }
  }

  /// Called after everything was removed; under the barrier as shipped.
  package var didRemoveAllObjects: CacheBlock? {
    get { ask { settings.didRemoveAllObjects } }
    set { change { $0.didRemoveAllObjects = newValue } }
  }

  /// Called after a memory warning; in a block of the queue.
  package var didReceiveMemoryWarning: CacheBlock? {
    get { ask { settings.didReceiveMemoryWarning } }
    set { change { $0.didReceiveMemoryWarning = newValue } }
  }

  /// Called after the application went into the background; in a block of the queue.
  package var didEnterBackground: CacheBlock? {
    get { ask { settings.didEnterBackground } }
    set { change { $0.didEnterBackground = newValue } }
  }

  /// What all objects together may cost; 0, the default, for no limit. The least recently used are
  /// removed first.
  package var costLimit: Int {
    get { ask { settings.costLimit } }
    set {
      change {
        $0.costLimit = newValue
      } then: { cache in
        if newValue > 0 { cache.removeOldest(toCost: newValue) }
      }
    }
  }

  /// For how many seconds at least an unused object is kept; 0, the default, forever.
  ///
  /// The cache trims at each setting and once in each such interval, so that an object may live
  /// twice as long (issue 76).
  package var ageLimit: Double {
    get { ask { settings.ageLimit } }
    set {
      let replaces = repairs.contains(.oneAgeTimer)
      change {
        $0.ageLimit = newValue
        if replaces {
          $0.ageChain += 1
          $0.ageTimers = 0
        }
      } then: {
        $0.trimToAgeLimitRecursively()
      }
    }
  }

  /// How many chains of age timers are running.
  package var ageTimers: Int { ask { settings.ageTimers } }

  /// The cache's sum of all costs.
  package var totalCost: Int? { ask { store.totalCost } }

  /// How many objects there are.
  package var count: Int { ask { store.count } }

  /// Every object with its cost, for checks after all calls have ended.
  package func objects() -> [String: (object: Object, cost: Int)] { ask { store.entries } }

  /// The keys in each of the structures that must agree, for checks after all calls have ended.
  package func indexes() -> [String: Set<String>] { ask { store.indexes } }

  private func change(
    _ body: @escaping @Sendable (inout TMMemorySettings<Object>) -> Void,
    then operation: (@Sendable (TMMemoryCache) -> Void)? = nil
  ) {
    let whole: @Sendable (TMMemoryCache) -> Void = { cache in
      cache.access { body(&cache.settings) }
      operation?(cache)
    }
    if repairs.contains(.synchronousCore) { return whole(self) }
    enqueue(barrier: true, whole)
  }
}

// Trims, and the system's notifications.
extension TMMemoryCache {
  /// Removes objects last used before a date; `.distantPast` removes everything.
  package func trim(toDate date: Date, completion: (@Sendable () -> Void)?) {
    if date == .distantPast { return removeAllObjects(completion: completion) }
    write({ $0.removeObjects(olderThan: date) }, completion)
  }

  /// Removes the costliest objects down to this total cost.
  package func trim(toCost cost: Int, completion: (@Sendable () -> Void)?) {
    write({ $0.removeCostliest(toCost: cost) }, completion)
  }

  /// Removes the least recently used objects down to this total cost.
  package func trim(toCostByDate cost: Int, completion: (@Sendable () -> Void)?) {
    write({ $0.removeOldest(toCost: cost) }, completion)
  }

  /// Removes objects last used before a date, and waits; `.distantPast` removes everything.
  package func trim(toDate date: Date) {
    if date == .distantPast { return removeAllObjects() }
    writeAndWait { $0.removeObjects(olderThan: date) }
  }

  /// Removes the costliest objects down to this total cost, and waits.
  package func trim(toCost cost: Int) {
    writeAndWait { $0.removeCostliest(toCost: cost) }
  }

  /// Removes the least recently used objects down to this total cost, and waits.
  package func trim(toCostByDate cost: Int) {
    writeAndWait { $0.removeOldest(toCost: cost) }
  }

  /// Does what the original does on a memory warning: removes everything, then calls the block.
  package func handleMemoryWarning() {
    if removesAllOnMemoryWarning.load(ordering: .relaxed) { removeAllObjects(completion: nil) }
    enqueue { cache in cache.access { cache.settings.didReceiveMemoryWarning }?(cache) }
  }

  /// Does what the original does when the application goes into the background: removes everything,
  /// then calls the block.
  package func handleEnteringBackground() {
    if removesAllOnEnteringBackground.load(ordering: .relaxed) { removeAllObjects(completion: nil) }
    enqueue { cache in cache.access { cache.settings.didEnterBackground }?(cache) }
  }
}
