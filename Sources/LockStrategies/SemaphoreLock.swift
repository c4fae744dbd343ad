import Dispatch

/// A Dispatch semaphore of 1 as a lock: PINCache 2 and YYDiskCache lock so.
///
/// Whoever waits needs no other thread to be let in but the one that is in: unlike a semaphore that
/// a callback signals, it cannot starve a pool. It enters the kernel only when it has to wait. It
/// has no owner, so it avoids no priority inversion.
public struct SemaphoreLock: Lock {
  private let semaphore = DispatchSemaphore(value: 1)

  /// Makes an open lock.
  public init() {}

  /// Runs `body` between `wait` and `signal`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return try body()
  }
}
