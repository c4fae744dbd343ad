// After PINMemoryCache.m of PINCache 2.0 and of 3.0.4: -init…, -dealloc, -lock, -unlock,
// -containsObjectForKey:, -objectForKey:, -setObject:forKey:withCost:ageLimit:.

package import Foundation
import Interlock

/// PINCache's memory cache: a dictionary under a lock that is taken in phases, with the user's
/// blocks between them.
///
/// A method copies the blocks under the lock and releases it, calls the `will` block, makes the
/// change under the lock again, and calls the `did` block without it. So a block may call the
/// cache; and a value read in the first phase may be out of date in the second. The lock is a
/// semaphore of 1 in 2.0, and a POSIX mutex that is not recursive in 3.0.4; the phases are the
/// same.
///
/// `@unchecked Sendable`: all mutable state is under `guardian`; its sections check that.
package final class PINMemoryCache: @unchecked Sendable {
  /// Called with one key.
  package typealias ObjectBlock = PINEvents<PINMemoryCache>.ObjectBlock
  /// Called for the whole cache.
  package typealias CacheBlock = PINEvents<PINMemoryCache>.CacheBlock

  let changes: PINChanges
  let version: PINVersion
  let scheduler: any PINScheduler
  let evictionStrategy: PINEvictionStrategy
  private let guardian: PINLock
  /// Held over each change and its blocks; taken before `guardian`. `nil` without the repair.
  let turn: PINTurn?
  private let section = Section("pin.memory")

  var slots: [String: Slot] = [:]
  /// Wraps around below zero, as an `NSUInteger` does: the cache then stays above every limit.
  var costOfAll: UInt = 0
  /// How many slots have no object.
  var phantoms = 0
  /// Grows with every change of the stored objects.
  var changeNumber: UInt64 = 0
  /// Grows with every use.
  private var useNumber: UInt64 = 0
  var events = PINEvents<PINMemoryCache>()
  var pressure = PINMemoryPressure()
  var costLimitNow: UInt = 0
  var ageLimitNow: TimeInterval = 0
  var ageChain: UInt64 = 0
  let hidesExpired: Bool
  let clock: @Sendable () -> Date

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - version: The version whose lock and methods it has.
  ///   - changes: The repairs; by default those that the version was shipped with.
  ///   - scheduler: Runs the asynchronous methods.
  ///   - isTTLCache: Whether reads hide objects older than their age limit; for 2 since pull
  ///     request 63.
  ///   - evictionStrategy: Which object is evicted first. In 3.0.4 only: 2.0 evicts by the time of
  ///     the last use.
  ///   - turn: The lock over changes and their blocks, if the repairs include one; by default the
  ///     cache's own.
  ///   - clock: The date, from which ages count.
  package init(
    _ version: PINVersion, changes: PINChanges? = nil,
    scheduler: any PINScheduler = PINDispatchScheduler(), isTTLCache: Bool = false,
    evictionStrategy: PINEvictionStrategy = .leastRecentlyUsed, turn: PINTurn? = nil,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.clock = clock
    self.version = version
    self.changes = changes ?? version.shipped
    self.scheduler = scheduler
    self.evictionStrategy = version == .two ? .leastRecentlyUsed : evictionStrategy
    hidesExpired = isTTLCache
    guardian = PINLock(version)
    self.turn = self.changes.contains(.changesInTurn) ? turn ?? PINTurn() : nil
  }

  deinit { guardian.destroy() }

  /// Whether reads hide objects older than their age limit.
  package var isTTLCache: Bool { hidesExpired }

  /// Runs `body` under the lock.
  @inline(__always)
  func locked<R>(_ body: () -> R) -> R {
    guardian.lock()
    defer { guardian.unlock() }
    return section.write(synched: true) { body() }
  }

  // MARK: Reading

  /// Whether there is an object under a key, expired or not.
  package func containsObject(forKey key: String) -> Bool {
    locked { slots[key]?.object != nil }
  }

  /// The object under a key. The lock is taken twice: to read, and to note the access.
  package func object(forKey key: String) -> PINObject? {
    let now = hidesExpired ? clock() : dateOfLastTick()
    guard let (slot, object) = locked({ visible(key, at: now) }) else { return nil }
    SYNC_POINT("pinmemorycache.get.beforeTouch")
    locked { touch(slot, key, at: now) }
    return changes.contains(.objectsCopied) ? object.copy() : object
  }

  /// Under the lock: the object of a key, unless its age hides it.
  @inline(__always)
  private func visible(_ key: String, at now: Date) -> (Slot, PINObject)? {
    guard let slot = slots[key], let object = slot.object else { return nil }
    if hidesExpired, isExpired(slot, at: now) { return nil }
    return (slot, object)
  }

  /// Under the lock: whether a slot is as old as its limit, or the cache's, allows.
  func isExpired(_ slot: Slot, at now: Date) -> Bool {
    let limit = slot.ageLimit > 0 ? slot.ageLimit : ageLimitNow
    // Repair: 2 has one date for both, so that a use prolongs an object's life.
    let date = changes.contains(.agedByCreation) ? slot.created : slot.accessed
    return limit > 0 && abs(date.timeIntervalSince(now)) >= limit
  }

  /// Under the lock: notes an access. The key may have been removed since the read: the dates and
  /// counts, which are separate dictionaries in the original, then have a key that the objects
  /// lack.
  ///
  /// `found` is the slot that the read found: a slot still in the dictionary needs no second
  /// look-up.
  @inline(__always)
  private func touch(_ found: Slot, _ key: String, at now: Date) {
    if let slot = found.isPresent ? found : slots[key] {
      slot.accessed = now
      noteUse(of: slot)
    } else if !changes.contains(.touchesOnlyPresent) {
      let phantom = Slot(accessed: now)
      noteUse(of: phantom)
      slots[key] = phantom
      phantoms += 1
    }
  }

  /// Under the lock: counts a use.
  @inline(__always)
  private func noteUse(of slot: Slot) {
    useNumber &+= 1
    slot.use = useNumber
    slot.accessCount &+= 1
  }

  // MARK: Storing

  /// Stores an object, and evicts others if a cost limit is exceeded.
  ///
  /// - Parameters:
  ///   - object: What is stored.
  ///   - key: Its key.
  ///   - cost: What it costs.
  ///   - ageLimit: How many seconds it lives, if the cache hides expired objects; 0 for the
  ///     cache's limit.
  package func setObject(
    _ object: PINObject, forKey key: String, withCost cost: UInt = 0, ageLimit: TimeInterval = 0
  ) {
    let costLimit = setObjectAndExecuteBlocks(object, forKey: key, cost: cost, ageLimit: ageLimit)
    if costLimit > 0 { trimToCostByEvictionStrategy(costLimit) }
  }

  /// Stores an object, and calls the blocks; returns the cost limit.
  private func setObjectAndExecuteBlocks(
    _ object: PINObject, forKey key: String, cost: UInt, ageLimit: TimeInterval
  ) -> UInt {
    turn?.lock()
    defer { turn?.unlock() }
    let (willAdd, didAdd, costLimit) = locked {
      (events.willAddObject, events.didAddObject, costLimitNow)
    }
    willAdd?(self, key, object)
    SYNC_POINT("pinmemorycache.set.afterWillAdd")
    let stored = changes.contains(.objectsCopied) ? object.copy() : object
    let replaced = locked {
      let old = store(stored, forKey: key, cost: cost, ageLimit: ageLimit)
      // Repair: the replaced object lives until the lock is free. As shipped its last reference is
      // released here, and its `deinit`, which may call the cache, runs under the lock.
      return changes.contains(.releasesUnlocked) ? old : nil
    }
    withExtendedLifetime(replaced) {}
    didAdd?(self, key, object)
    return costLimit
  }

  /// Under the lock: stores an object, and returns the one that it replaces.
  func store(
    _ object: PINObject, forKey key: String, cost: UInt, ageLimit: TimeInterval
  ) -> PINObject? {
    let now = clock()
    let slot: Slot
    if let known = slots[key] {
      slot = known
      if known.object == nil { phantoms -= 1 }
      // Repair (issue 92): 2.0 adds the new cost to the old one.
      if changes.contains(.replacedCostSubtracted) { costOfAll &-= known.cost }
    } else {
      slot = Slot(accessed: now)
      slots[key] = slot
    }
    let old = slot.object
    changeNumber &+= 1
    slot.object = object
    slot.number = changeNumber
    slot.cost = cost
    slot.created = now
    slot.accessed = now
    noteUse(of: slot)
    slot.ageLimit = ageLimit
    costOfAll &+= cost
    return old
  }
}
