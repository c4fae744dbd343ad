#if canImport(Darwin)
import os

// Written from Apple's headers; not yet run on an Apple system.

/// `os_unfair_lock`, Apple's replacement of a spin lock: a waiting thread sleeps, and its owner
/// inherits the waiter's priority.
///
/// A thread that releases and at once acquires it again may overtake waiters; acquiring it again on
/// the owner's thread traps.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the lock is made to be shared.
public final class UnfairLock: Lock, @unchecked Sendable {
  // At a fixed address, which a Swift property does not give.
  private let lock: UnsafeMutablePointer<os_unfair_lock>

  /// Makes a free lock.
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
