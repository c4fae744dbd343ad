import Dispatch

/// A Dispatch semaphore of 1 as a lock, as in PINCache 2 and YYDiskCache.
///
/// A waiter depends only on the holder's thread: unlike a semaphore that a callback signals, it
/// cannot starve a pool. It enters the kernel only to wait. It has no owner, so it does not avoid
/// priority inversion.
public struct SemaphoreLock: Lock {
  private let semaphore = DispatchSemaphore(value: 1)

  /// Makes a free lock.
  public init() {}

  /// Runs `body` between `wait` and `signal`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return try body()
  }
}
