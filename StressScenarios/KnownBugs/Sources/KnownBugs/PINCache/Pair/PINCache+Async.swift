// After PINCache.m of PINCache 2.0 (the methods with a `block:`) and 3.0.4 (those that end in
// Async).

package import Foundation
import Synchronization

extension PINCache {
  /// Called with one key.
  package typealias ObjectBlock =
    @Sendable (
      _ cache: PINCache, _ key: String, _ object: PINObject?
    ) -> Void
  /// Called for the whole cache.
  package typealias CacheBlock = @Sendable (_ cache: PINCache) -> Void

  /// Checks whether there is an object under a key.
  package func containsObject(
    forKey key: String, completion: @escaping @Sendable (Bool) -> Void
  ) {
    scheduler.schedule(.normal) { completion(self.containsObject(forKey: key)) }
  }

  /// Reads a key, in one step on the scheduler for each layer.
  ///
  /// In 2.0 every step has a weak reference to the cache: once the last strong one is released,
  /// `completion` is never called.
  package func object(forKey key: String, completion: @escaping ObjectBlock) {
    let owner: @Sendable () -> PINCache?
    if version == .two {
      owner = { [weak self] in self }
    } else {
      owner = { self }
    }
    scheduler.schedule(.normal) {
      guard let cache = owner() else { return }
      let stamp = cache.memory.changeStamp
      cache.memory.object(forKey: key) { _, _, found in
        guard let cache = owner() else { return }
        if let found {
          cache.disk.touch(key)
          cache.finish(owner, key, found, completion)
          return
        }
        cache.disk.object(forKey: key) { (read: PINObject?) in
          guard let cache = owner() else { return }
          if let read { cache.backFillLater(read, forKey: key, stamp: stamp) }
          cache.finish(owner, key, read, completion)
        }
      }
    }
  }

  private func backFillLater(_ object: PINObject, forKey key: String, stamp: UInt64) {
    scheduler.schedule(.high) { self.backFill(object, forKey: key, stamp: stamp) }
  }

  private func finish(
    _ owner: @escaping @Sendable () -> PINCache?, _ key: String, _ object: PINObject?,
    _ completion: @escaping ObjectBlock
  ) {
    scheduler.schedule(.normal) {
      guard let cache = owner() else { return }
      completion(cache, key, object)
    }
  }

  /// Stores an object in both layers concurrently.
  package func setObject(
    _ object: PINObject, forKey key: String, withCost cost: UInt = 0, ageLimit: TimeInterval = 0,
    completion: ObjectBlock?
  ) {
    inBothLater(
      { $0.setObject(object, forKey: key, withCost: cost, ageLimit: ageLimit) },
      { _ = $0.setObject(object, forKey: key, ageLimit: ageLimit) },
      { completion?($0, key, object) })
  }

  /// Removes a key from both layers concurrently.
  package func removeObject(forKey key: String, completion: ObjectBlock?) {
    inBothLater(
      { $0.removeObject(forKey: key) }, { $0.removeObject(forKey: key) },
      { completion?($0, key, nil) })
  }

  /// Removes objects that are older than a date from both layers concurrently.
  package func trim(to date: Date, completion: CacheBlock?) {
    inBothLater({ $0.trim(to: date) }, { $0.trim(to: date) }, { completion?($0) })
  }

  /// Removes expired objects from both layers concurrently.
  package func removeExpiredObjects(completion: CacheBlock?) {
    inBothLater(
      { $0.removeExpiredObjects() }, { $0.removeExpiredObjects() }, { completion?($0) })
  }

  /// Removes everything from both layers concurrently.
  package func removeAllObjects(completion: CacheBlock?) {
    inBothLater({ $0.removeAllObjects() }, { $0.removeAllObjects() }, { completion?($0) })
  }

  /// Changes memory and disk concurrently, and completes when both are done.
  private func inBothLater(
    _ first: @escaping @Sendable (PINMemoryCache) -> Void,
    _ second: @escaping @Sendable (any PINDisk) -> Void,
    _ completion: @escaping CacheBlock
  ) {
    // Repairs: disk first, or both in one step, as in the synchronous methods.
    if changes.contains(.backFillStamped) || changes.contains(.changesInTurn) {
      scheduler.schedule(.low) { [self] in
        inBoth(first, second)
        completion(self)
      }
      return
    }
    let both = PINCountdown(2) { [self] in scheduler.schedule(.normal) { completion(self) } }
    scheduler.schedule(.high) { [memory] in
      first(memory)
      both.count()
    }
    scheduler.schedule(.low) { [disk] in
      second(disk)
      both.count()
    }
  }
}

/// Calls a block on the last of a number of counts, as a Dispatch group's notification, but on the
/// thread of that count.
private final class PINCountdown: Sendable {
  private let left: Atomic<Int>
  private let block: @Sendable () -> Void

  init(_ count: Int, _ block: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.block = block
  }

  func count() {
    // Acquiring and releasing: the block sees all work that precedes each count.
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { block() }
  }
}
