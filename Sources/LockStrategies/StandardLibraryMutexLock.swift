import Synchronization

/// `Synchronization.Mutex`, the standard library's lock.
///
/// Taking it again on the thread that holds it traps with a message. On Linux it hands its owner to the
/// kernel (a futex with priority inheritance); ThreadSanitizer does not see that, and reports false races
/// when it is contended.
public final class StandardLibraryMutexLock: Lock {
  private let mutex = Mutex<Void>(())

  /// Makes an open lock.
  public init() {}

  /// Runs `body` inside the mutex's `withLock`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try mutex.withLock { _ in try body() }
  }
}
