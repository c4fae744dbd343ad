/// A POSIX mutex of the default kind, as in YYMemoryCache and PINCache 3.
public final class PthreadMutexLock: Lock {
  private let mutex = PthreadMutex()

  /// Makes a free lock.
  public init() {}

  deinit { mutex.destroy() }

  /// Runs `body` while the calling thread owns the mutex.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    mutex.lock()
    defer { mutex.unlock() }
    return try body()
  }
}
