import Caches
import LockStrategies

/// A cache that calls an observer under its lock before it stores a value.
///
/// TMCache calls its `willAddObjectBlock` in this way inside the barrier, and PINDiskCache 2 under
/// its semaphore. The observer runs under the lock, so a thread that it wakes finds the lock held.
final class ObservedCache<Strategy: Lock>: LockedStorage {
  private let lock: Strategy
  private let storage = Storage(isLocked: true)
  private let willStore: @Sendable (String) -> Void

  init(_ lock: Strategy, willStore: @escaping @Sendable (_ key: String) -> Void) {
    self.lock = lock
    self.willStore = willStore
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    locked {
      willStore(key)
      $0.setValue(value, forKey: key, cost: cost)
    }
  }

  func locked<R>(_ body: (Storage) -> R) -> R { lock.withLock { body(storage) } }
}
