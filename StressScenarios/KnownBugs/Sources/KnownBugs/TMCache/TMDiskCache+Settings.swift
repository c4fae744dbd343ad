internal import Dispatch
package import Foundation
internal import Synchronization

/// The disk cache's limits and blocks.
struct TMDiskSettings {
  var willAddObject: TMDiskCache.ObjectBlock?
  var didAddObject: TMDiskCache.ObjectBlock?
  var willRemoveObject: TMDiskCache.ObjectBlock?
  var didRemoveObject: TMDiskCache.ObjectBlock?
  var willRemoveAllObjects: TMDiskCache.CacheBlock?
  var didRemoveAllObjects: TMDiskCache.CacheBlock?
  var byteLimit = 0
  var ageLimit = 0.0
  /// The number of the current chain of age timers; as shipped all chains stay current.
  var ageChain = 0
  /// How many age timers are running.
  var ageTimers = 0
}

// As shipped a getter is a `sync` on the shared queue, and a setter an `async`.
extension TMDiskCache {
  /// Called before a file is written, on the shared queue as shipped.
  package var willAddObject: ObjectBlock? {
    get { ask { settings.willAddObject } }
    set { change { $0.willAddObject = newValue } }
  }

  /// Called after a file was written, or without a URL if it could not be.
  package var didAddObject: ObjectBlock? {
    get { ask { settings.didAddObject } }
    set { change { $0.didAddObject = newValue } }
  }

  /// Called before a file is removed, on the shared queue as shipped.
  package var willRemoveObject: ObjectBlock? {
    get { ask { settings.willRemoveObject } }
    set { change { $0.willRemoveObject = newValue } }
  }

  /// Called after a file was removed, on the shared queue as shipped.
  package var didRemoveObject: ObjectBlock? {
    get { ask { settings.didRemoveObject } }
    set { change { $0.didRemoveObject = newValue } }
  }

  /// Called before everything is removed, on the shared queue as shipped.
  package var willRemoveAllObjects: CacheBlock? {
    get { ask { settings.willRemoveAllObjects } }
    set { change { $0.willRemoveAllObjects = newValue } }
  }

  /// Called after everything was removed, on the shared queue as shipped.
  package var didRemoveAllObjects: CacheBlock? {
    get { ask { settings.didRemoveAllObjects } }
    set { change { $0.didRemoveAllObjects = newValue } }
  }

  /// How many bytes all files may have together; 0, the default, for no limit. The least recently
  /// used are removed first.
  package var byteLimit: Int {
    get { ask { settings.byteLimit } }
    set {
      change {
        $0.byteLimit = newValue
      } then: { cache in
        if newValue > 0 { cache.removeOldest(toSize: newValue) }
      }
    }
  }

  /// For how many seconds at least an unused file is kept; 0, the default, forever.
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

  /// Where removed files stay until a background queue deletes them.
  package var trashURL: URL { files.trash }

  /// The cache's sum of its files' sizes, in bytes; read without a lock.
  package var byteCount: Int { directory.byteCount.load(ordering: .relaxed) }

  private func change(
    _ body: @escaping @Sendable (inout TMDiskSettings) -> Void,
    then operation: (@Sendable (TMDiskCache) -> Void)? = nil
  ) {
    let whole: @Sendable (TMDiskCache) -> Void = { cache in
      cache.access { body(&cache.settings) }
      operation?(cache)
    }
    if repairs.contains(.synchronousCore) { return whole(self) }
    enqueue(whole)
  }
}

// Trims.
extension TMDiskCache {
  /// Removes the largest files down to this size; 0 removes everything.
  package func trim(toSize size: Int, completion: (@Sendable () -> Void)?) {
    enqueueTrim(completion) { size == 0 ? $0.removeAllAndTell() : $0.removeLargest(toSize: size) }
  }

  /// Removes the least recently used files down to this size; 0 removes everything.
  package func trim(toSizeByDate size: Int, completion: (@Sendable () -> Void)?) {
    enqueueTrim(completion) { size == 0 ? $0.removeAllAndTell() : $0.removeOldest(toSize: size) }
  }

  /// Removes files last used before a date; `.distantPast` removes everything.
  package func trim(toDate date: Date, completion: (@Sendable () -> Void)?) {
    enqueueTrim(completion) {
      date == .distantPast ? $0.removeAllAndTell() : $0.removeObjects(olderThan: date)
    }
  }

  /// Removes the largest files down to this size, and waits; 0 removes everything.
  package func trim(toSize size: Int) {
    wait { size == 0 ? $0.removeAllAndTell() : $0.removeLargest(toSize: size) }
  }

  /// Removes the least recently used files down to this size, and waits; 0 removes everything.
  package func trim(toSizeByDate size: Int) {
    wait { size == 0 ? $0.removeAllAndTell() : $0.removeOldest(toSize: size) }
  }

  /// Removes files last used before a date, and waits; `.distantPast` removes everything.
  package func trim(toDate date: Date) {
    wait { date == .distantPast ? $0.removeAllAndTell() : $0.removeObjects(olderThan: date) }
  }

  private func enqueueTrim(
    _ completion: (@Sendable () -> Void)?, _ operation: @escaping @Sendable (TMDiskCache) -> Void
  ) {
    enqueue { cache in
      operation(cache)
      completion?()
    }
  }
}
