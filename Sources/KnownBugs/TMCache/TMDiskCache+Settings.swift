internal import Dispatch
package import Foundation
internal import Synchronization

/// What the disk cache is told to keep to, and whom it tells.
struct TMDiskSettings {
  var willAddObject: TMDiskCache.ObjectBlock?
  var didAddObject: TMDiskCache.ObjectBlock?
  var willRemoveObject: TMDiskCache.ObjectBlock?
  var didRemoveObject: TMDiskCache.ObjectBlock?
  var willRemoveAllObjects: TMDiskCache.CacheBlock?
  var didRemoveAllObjects: TMDiskCache.CacheBlock?
  var byteLimit = 0
  var ageLimit = 0.0
  /// The chain of age timers that is the present one; as shipped all are.
  var ageChain = 0
  /// How many age timers are running that will start another.
  var ageTimers = 0
}

// As shipped a getter is a `sync` on the shared queue, and a setter a block that is not waited for.
extension TMDiskCache {
  /// Called before a file is written, on the shared queue as shipped. `nil` for nobody.
  package var willAddObject: ObjectBlock? {
    get { ask { settings.willAddObject } }
    set { change { $0.willAddObject = newValue } }
  }

  /// Called after a file was written, or was not: then without its place. `nil` for nobody.
  package var didAddObject: ObjectBlock? {
    get { ask { settings.didAddObject } }
    set { change { $0.didAddObject = newValue } }
  }

  /// Called before a file is removed, on the shared queue as shipped. `nil` for nobody.
  package var willRemoveObject: ObjectBlock? {
    get { ask { settings.willRemoveObject } }
    set { change { $0.willRemoveObject = newValue } }
  }

  /// Called after a file was removed, on the shared queue as shipped. `nil` for nobody.
  package var didRemoveObject: ObjectBlock? {
    get { ask { settings.didRemoveObject } }
    set { change { $0.didRemoveObject = newValue } }
  }

  /// Called before everything is removed, on the shared queue as shipped. `nil` for nobody.
  package var willRemoveAllObjects: CacheBlock? {
    get { ask { settings.willRemoveAllObjects } }
    set { change { $0.willRemoveAllObjects = newValue } }
  }

  /// Called after everything was removed, on the shared queue as shipped. `nil` for nobody.
  package var didRemoveAllObjects: CacheBlock? {
    get { ask { settings.didRemoveAllObjects } }
    set { change { $0.didRemoveAllObjects = newValue } }
  }

  /// How many bytes all files may have together; 0, as at first, for no limit. Least recently used
  /// ones go first.
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

  /// For how many seconds a file that is not used is kept, at least; 0, as at first, for ever.
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

  /// How many timers are running that will look for files over the age limit again and again.
  package var ageTimers: Int { ask { settings.ageTimers } }

  /// Where files go that are removed, until they are deleted in the background.
  package var trashURL: URL { files.trash }

  /// How many bytes all files have together, as the cache counts; read without waiting for anyone.
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
  /// Removes the largest files until all together are no larger than this; 0 removes everything.
  package func trim(toSize size: Int, completion: (@Sendable () -> Void)?) {
    enqueueTrim(completion) { size == 0 ? $0.removeAllAndTell() : $0.removeLargest(toSize: size) }
  }

  /// Removes the least recently used files until all together are no larger than this; 0 removes
  /// everything.
  package func trim(toSizeByDate size: Int, completion: (@Sendable () -> Void)?) {
    enqueueTrim(completion) { size == 0 ? $0.removeAllAndTell() : $0.removeOldest(toSize: size) }
  }

  /// Removes what was last used before a date; `.distantPast` removes everything.
  package func trim(toDate date: Date, completion: (@Sendable () -> Void)?) {
    enqueueTrim(completion) {
      date == .distantPast ? $0.removeAllAndTell() : $0.removeObjects(olderThan: date)
    }
  }

  /// Removes the largest files until all together are no larger than this; 0 removes everything.
  /// Waits.
  package func trim(toSize size: Int) {
    wait { size == 0 ? $0.removeAllAndTell() : $0.removeLargest(toSize: size) }
  }

  /// Removes the least recently used files until all together are no larger than this; 0 removes
  /// everything. Waits.
  package func trim(toSizeByDate size: Int) {
    wait { size == 0 ? $0.removeAllAndTell() : $0.removeOldest(toSize: size) }
  }

  /// Removes what was last used before a date; `.distantPast` removes everything. Waits.
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
