import Caches
import Interlock
import LockStrategies

/// A cache with a counting call built from its public calls: look up, add one, store.
///
/// Each half takes the lock, so a race detector reports nothing; but no lock covers both halves
/// together. Two callers that count at once find the same number, and one count is lost. Source:
/// CERT Oracle Secure Coding Standard for Java, VNA03-J, "Do not assume that a group of calls to
/// independently atomic methods is atomic".
///
/// Repaired, look-up and store are one locked section.
final class CountingCache: Cache {
  private let lock = PthreadMutexLock()
  private let storage = Storage(isLocked: true)
  private let isRepaired: Bool

  /// Makes an empty cache.
  ///
  /// - Parameter repaired: Whether counting is one locked section.
  init(repaired: Bool) {
    isRepaired = repaired
  }

  /// Adds one to the number under a key; a key that is not there counts as 0.
  func countOne(_ key: String) {
    if isRepaired {
      lock.withLock {
        let number = found(key)
        SYNC_POINT("countingcache.count.found")
        store(number + 1, key)
      }
    } else {
      let number = lock.withLock { found(key) }
      SYNC_POINT("countingcache.count.found")
      lock.withLock { store(number + 1, key) }
    }
  }

  /// The number under a key.
  func number(forKey key: String) -> Int {
    lock.withLock { Self.number(storage.value(forKey: key)) }
  }

  private func found(_ key: String) -> Int {
    Self.number(storage.value(forKey: key))
  }

  private func store(_ number: Int, _ key: String) {
    let bytes = withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian, Array.init)
    storage.setValue(bytes, forKey: key, cost: bytes.count)
  }

  private static func number(_ bytes: [UInt8]?) -> Int {
    let bits = (bytes ?? []).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(truncatingIfNeeded: bits)
  }

  /// The value under a key; notes the access.
  func value(forKey key: String) -> [UInt8]? {
    lock.withLock {
      guard let value = storage.value(forKey: key) else { return nil }
      storage.touch(key)
      return value
    }
  }

  /// Stores a value.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { storage.setValue(value, forKey: key, cost: cost) }
  }

  /// Removes a value.
  func removeValue(forKey key: String) {
    lock.withLock { storage.removeValue(forKey: key) }
  }

  /// Removes every value.
  func removeAllValues() {
    lock.withLock { storage.removeAllValues() }
  }

  /// How many values there are.
  var count: Int {
    lock.withLock { storage.count }
  }

  /// What all values cost together.
  var totalCost: Int? {
    lock.withLock { storage.totalCost }
  }

  /// What is stored.
  func entries() -> [String: CacheEntry]? {
    lock.withLock { storage.entries() }
  }
}
