#if canImport(Darwin)
import os

// Written from Apple's headers; not yet run there.

/// `os_unfair_lock`, what Apple's systems have in place of a spin lock: a waiting thread sleeps,
/// and lends its priority to the one that is in.
///
/// Who acquires it again at once may get it before those who wait; taking it again on the thread
/// that holds it traps.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the lock is made to be shared.
public final class UnfairLock: Lock, @unchecked Sendable {
  // At an address that never changes, which a Swift property does not give.
  private let lock: UnsafeMutablePointer<os_unfair_lock>

  /// Makes an open lock.
  public init() {
    lock = .allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
  }

  deinit { lock.deallocate() }

  /// Runs `body` while the calling thread owns the lock.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    os_unfair_lock_lock(lock)
    defer { os_unfair_lock_unlock(lock) }
    return try body()
  }
}
#endif
