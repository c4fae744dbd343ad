package import Foundation
import Synchronization

/// What the memory cache is told to keep to, and whom it tells.
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
  /// The chain of age timers that is the present one; as shipped all are.
  var ageChain = 0
  /// How many age timers are running that will start another.
  var ageTimers = 0
}

// As shipped a getter is a `sync` on the queue, and a setter a barrier that is not waited for.
extension TMMemoryCache {
  /// Called before an object is stored; under the barrier as shipped. `nil` for nobody.
  package var willAddObject: ObjectBlock? {
    get { ask { settings.willAddObject } }
    set { change { $0.willAddObject = newValue } }
  }

  /// Called after an object was stored; under the barrier as shipped. `nil` for nobody.
  package var didAddObject: ObjectBlock? {
    get { ask { settings.didAddObject } }
    set { change { $0.didAddObject = newValue } }
  }

  /// Called before an object is removed; under the barrier as shipped. `nil` for nobody.
  package var willRemoveObject: ObjectBlock? {
    get { ask { settings.willRemoveObject } }
    set { change { $0.willRemoveObject = newValue } }
  }

  /// Called after an object was removed; under the barrier as shipped. `nil` for nobody.
  package var didRemoveObject: ObjectBlock? {
    get { ask { settings.didRemoveObject } }
    set { change { $0.didRemoveObject = newValue } }
  }

  /// Called before everything is removed; under the barrier as shipped. `nil` for nobody.
  package var willRemoveAllObjects: CacheBlock? {
    get { ask { settings.willRemoveAllObjects } }
    set { change { $0.willRemoveAllObjects = newValue } }
  }

  /// Called after everything was removed; under the barrier as shipped. `nil` for nobody.
  package var didRemoveAllObjects: CacheBlock? {
    get { ask { settings.didRemoveAllObjects } }
    set { change { $0.didRemoveAllObjects = newValue } }
  }

  /// Called after a memory warning; in a block of the queue. `nil` for nobody.
  package var didReceiveMemoryWarning: CacheBlock? {
    get { ask { settings.didReceiveMemoryWarning } }
    set { change { $0.didReceiveMemoryWarning = newValue } }
  }

  /// Called after the application went into the background; in a block of the queue. `nil` for
  /// nobody.
  package var didEnterBackground: CacheBlock? {
    get { ask { settings.didEnterBackground } }
    set { change { $0.didEnterBackground = newValue } }
  }

  /// What all objects together may cost; 0, as at first, for no limit. Least recently used ones go
  /// first.
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

  /// For how many seconds an object that is not used is kept, at least; 0, as at first, for ever.
  ///
  /// It is looked after once at each setting and once in each such time, so that an object may live
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

  /// How many timers are running that will look for objects over the age limit again and again.
  package var ageTimers: Int { ask { settings.ageTimers } }

  /// What all objects together cost, as the cache counts.
  package var totalCost: Int? { ask { store.totalCost } }

  /// How many objects there are.
  package var count: Int { ask { store.count } }

  /// Every object with its cost, for checks at rest.
  package func objects() -> [String: (object: Object, cost: Int)] { ask { store.entries } }

  /// The keys in each of the structures that must have the same ones, for checks at rest.
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

// Trims, and what the system tells.
extension TMMemoryCache {
  /// Removes what was last used before a date; `.distantPast` removes everything.
  package func trim(toDate date: Date, completion: (@Sendable () -> Void)?) {
    if date == .distantPast { return removeAllObjects(completion: completion) }
    write({ $0.removeObjects(olderThan: date) }, completion)
  }

  /// Removes the costliest objects until all together cost no more than this.
  package func trim(toCost cost: Int, completion: (@Sendable () -> Void)?) {
    write({ $0.removeCostliest(toCost: cost) }, completion)
  }

  /// Removes the least recently used objects until all together cost no more than this.
  package func trim(toCostByDate cost: Int, completion: (@Sendable () -> Void)?) {
    write({ $0.removeOldest(toCost: cost) }, completion)
  }

  /// Removes what was last used before a date; `.distantPast` removes everything. Waits.
  package func trim(toDate date: Date) {
    if date == .distantPast { return removeAllObjects() }
    writeAndWait { $0.removeObjects(olderThan: date) }
  }

  /// Removes the costliest objects until all together cost no more than this. Waits.
  package func trim(toCost cost: Int) {
    writeAndWait { $0.removeCostliest(toCost: cost) }
  }

  /// Removes the least recently used objects until all together cost no more than this. Waits.
  package func trim(toCostByDate cost: Int) {
    writeAndWait { $0.removeOldest(toCost: cost) }
  }

  /// Does what the original does when the system is short of memory: removes everything, then
  /// tells.
  package func handleMemoryWarning() {
    if removesAllOnMemoryWarning.load(ordering: .relaxed) { removeAllObjects(completion: nil) }
    enqueue { cache in cache.access { cache.settings.didReceiveMemoryWarning }?(cache) }
  }

  /// Does what the original does when the application goes into the background: removes everything,
  /// then tells.
  package func handleEnteringBackground() {
    if removesAllOnEnteringBackground.load(ordering: .relaxed) { removeAllObjects(completion: nil) }
    enqueue { cache in cache.access { cache.settings.didEnterBackground }?(cache) }
  }
}
