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
final class CountingCache: LockedStorage {
  private let lock = PthreadMutexLock()
  private let storage = Storage(isLocked: true)
  private let isRepaired: Bool

  init(repaired: Bool) { isRepaired = repaired }

  /// Adds one to the number under a key; a key that is not there counts as 0.
  func countOne(_ key: String) {
    if isRepaired {
      locked { storage in
        let number = Self.number(forKey: key, in: storage)
        SYNC_POINT("countingcache.count.found")
        Self.store(number + 1, forKey: key, in: storage)
      }
    } else {
      let number = number(forKey: key)
      SYNC_POINT("countingcache.count.found")
      locked { Self.store(number + 1, forKey: key, in: $0) }
    }
  }

  func number(forKey key: String) -> Int { locked { Self.number(forKey: key, in: $0) } }

  private static func number(forKey key: String, in storage: Storage) -> Int {
    let bytes = storage.value(forKey: key) ?? []
    let bits = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(truncatingIfNeeded: bits)
  }

  private static func store(_ number: Int, forKey key: String, in storage: Storage) {
    let bytes = withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian, Array.init)
    storage.setValue(bytes, forKey: key, cost: bytes.count)
  }

  func locked<R>(_ body: (Storage) -> R) -> R { lock.withLock { body(storage) } }
}
