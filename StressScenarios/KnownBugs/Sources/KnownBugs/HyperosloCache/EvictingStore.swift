import Foundation

/// A store in memory that evicts the least recently used entries above a limit; the originals use
/// `NSCache`.
///
/// Thread-safe, as `NSCache` is. Not `NSCache` itself: Apple does not document which entries it
/// evicts, and Linux's evicts the newest.
///
/// `@unchecked Sendable`: the slots are only touched under `lock`.
final class EvictingStore<Value: Sendable>: @unchecked Sendable {
  private final class Slot {
    var value: Value
    var cost: Int
    var lastUse: Int

    init(value: Value, cost: Int, lastUse: Int) {
      self.value = value
      self.cost = cost
      self.lastUse = lastUse
    }
  }

  private let lock = NSLock()
  private let countLimit: Int
  private let totalCostLimit: Int
  private var slots: [String: Slot] = [:]
  private var totalCost = 0
  private var uses = 0

  /// Makes an empty store; a limit of zero is none.
  init(countLimit: Int = 0, totalCostLimit: Int = 0) {
    self.countLimit = countLimit
    self.totalCostLimit = totalCostLimit
  }

  func value(forKey key: String) -> Value? {
    // Not `withLock`, which costs half as much again: this is the most frequent call.
    lock.lock()
    defer { lock.unlock() }
    guard let slot = slots[key] else { return nil }
    uses += 1
    slot.lastUse = uses
    return slot.value
  }

  func setValue(_ value: Value, forKey key: String, cost: Int = 0) {
    lock.withLock {
      uses += 1
      let old = slots.updateValue(Slot(value: value, cost: cost, lastUse: uses), forKey: key)
      totalCost += cost - (old?.cost ?? 0)
      evict()
    }
  }

  func removeValue(forKey key: String) {
    lock.withLock { remove(key) }
  }

  func removeAll() {
    lock.withLock {
      slots = [:]
      totalCost = 0
    }
  }

  /// The keys of the stored objects.
  var keys: Set<String> {
    lock.withLock { Set(slots.keys) }
  }

  private func remove(_ key: String) {
    guard let old = slots.removeValue(forKey: key) else { return }
    totalCost -= old.cost
  }

  private func evict() {
    while countLimit > 0 && slots.count > countLimit
      || totalCostLimit > 0 && totalCost > totalCostLimit,
      let oldest = slots.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      remove(oldest.key)
    }
  }
}
