import Caches
import Dispatch
import Foundation
import Interlock

/// PINCache's memory cache: a dictionary under a lock that is taken in phases, with the user's
/// blocks between them. After PINMemoryCache.m of PINCache 2.0 and of 3.0.4.
///
/// A method copies the blocks under the lock and releases it, calls the `will` block, makes the
/// change under the lock again, and calls the `did` block without it. So a block may call the
/// cache; and a value read in the first phase may be out of date in the second. The lock is a
/// semaphore of 1 in 2.0, and a POSIX mutex that is not recursive in 3.0.4; the phases are the
/// same.
///
/// `@unchecked Sendable`: all mutable state is under `guardian`; its sections check that.
final class PINMemoryCache: PINScheduled, @unchecked Sendable {
  typealias ObjectBlock =
    @Sendable (_ cache: PINMemoryCache, _ key: String, _ object: PINObject?) -> Void

  /// A key's object and metadata.
  final class Slot {
    /// `nil` in a slot that a late note of an access has made.
    var object: PINObject?
    /// A unique number of each stored object.
    var number: UInt64 = 0
    var cost: UInt = 0
    var created = Date.distantPast
    /// When it was used last, to a few milliseconds.
    var accessed: Date
    /// Grows with every use of any key: the order of uses, for which the dates are too coarse.
    var use: UInt64 = 0
    /// Whether it is in the dictionary.
    var isPresent = true

    init(accessed: Date) { self.accessed = accessed }
  }

  let changes: PINChanges
  let version: PINVersion
  let scheduler: PINScheduler
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
  var events = ChangeBlocks<ObjectBlock>()
  var ageLimitNow: TimeInterval = 0
  var ageChain: UInt64 = 0
  /// Whether reads hide objects older than the age limit; in 2.0 since pull request 63.
  let hidesExpired: Bool
  private let clock: @Sendable () -> Date

  /// An empty cache; `turn` is the lock over changes and their blocks, if the repairs include one,
  /// and by default the cache's own.
  init(
    _ version: PINVersion, changes: PINChanges? = nil, scheduler: PINScheduler = PINScheduler(),
    isTTLCache: Bool = false, turn: PINTurn? = nil,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.clock = clock
    self.version = version
    self.changes = changes ?? version.shipped
    self.scheduler = scheduler
    hidesExpired = isTTLCache
    guardian = PINLock(version)
    self.turn = self.changes.contains(.changesInTurn) ? turn ?? PINTurn() : nil
  }

  deinit { guardian.destroy() }

  /// Runs `body` under the lock.
  @inline(__always)
  func locked<R>(_ body: () -> R) -> R {
    guardian.lock()
    defer { guardian.unlock() }
    return section.write(synched: true) { body() }
  }

  // MARK: Reading

  /// The object under a key. The lock is taken twice: to read, and to note the access.
  func object(forKey key: String) -> PINObject? {
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

  /// Under the lock: whether a slot is as old as the cache's limit allows.
  private func isExpired(_ slot: Slot, at now: Date) -> Bool {
    // Repair: 2.0 has one date for storing and use, so that a use prolongs an object's life.
    let date = changes.contains(.agedByCreation) ? slot.created : slot.accessed
    return ageLimitNow > 0 && abs(date.timeIntervalSince(now)) >= ageLimitNow
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
  }

  /// Calls `body` with each key, in the order in which the objects were stored; in 2.0 in that of
  /// the last use.
  ///
  /// As shipped `body` runs under the lock: a call of the cache from it never returns, as the
  /// original's header says.
  func enumerateObjects(_ body: (_ key: String) -> Void) {
    func keysInOrder() -> [String] {
      let now = Date()
      let present = slots.filter {
        $0.value.object != nil && !(hidesExpired && isExpired($0.value, at: now))
      }
      let byUse = version == .two
      return present.sorted {
        byUse ? $0.value.use < $1.value.use : $0.value.number < $1.value.number
      }.map(\.key)
    }
    // Repair: over a copy, without the lock.
    if changes.contains(.enumeratesCopy) {
      for key in locked(keysInOrder) { body(key) }
    } else {
      locked { for key in keysInOrder() { body(key) } }
    }
  }

  // MARK: Storing

  /// Stores an object, and calls the blocks.
  func setObject(_ object: PINObject, forKey key: String, withCost cost: UInt = 0) {
    turn?.lock()
    defer { turn?.unlock() }
    let (willAdd, didAdd) = locked { (events.willAddObject, events.didAddObject) }
    willAdd?(self, key, object)
    let stored = changes.contains(.objectsCopied) ? object.copy() : object
    let replaced = locked {
      let old = store(stored, forKey: key, cost: cost)
      // Repair: the replaced object lives until the lock is free. As shipped its last reference is
      // released here, and its `deinit`, which may call the cache, runs under the lock.
      return changes.contains(.releasesUnlocked) ? old : nil
    }
    withExtendedLifetime(replaced) {}
    didAdd?(self, key, object)
  }

  /// Under the lock: stores an object, and returns the one that it replaces.
  func store(_ object: PINObject, forKey key: String, cost: UInt) -> PINObject? {
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
    costOfAll &+= cost
    return old
  }

  // MARK: The calls of every cache

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(PINObject(value), forKey: key, withCost: UInt(bitPattern: cost))
  }

  func removeValue(forKey key: String) { removeObject(forKey: key) }

  func removeAllValues() { removeAllObjects() }

  var count: Int { locked { slots.count - phantoms } }

  /// The cache's sum of all costs; below zero where the original's `NSUInteger` has wrapped around.
  var totalCost: Int? { locked { Int(bitPattern: costOfAll) } }

  /// The bytes are read after the lock is released.
  func entries() -> [String: CacheEntry]? {
    let objects = locked {
      slots.compactMapValues { slot in slot.object.map { ($0, Int(bitPattern: slot.cost)) } }
    }
    return objects.mapValues { CacheEntry(value: $0.bytes, cost: $1) }
  }

  /// The keys with a recorded access; they should equal the keys of the objects.
  var accessedKeys: Set<String> { locked { Set(slots.keys) } }
}
