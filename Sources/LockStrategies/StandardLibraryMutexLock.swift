import Synchronization

/// `Synchronization.Mutex`, the standard library's lock.
///
/// Acquiring it again on the owner's thread traps with a message. On Linux it is a futex with
/// priority inheritance; ThreadSanitizer does not see that, and reports false races when it is
/// contended. Prediction does not see it either: its fast path is inlined into its caller.
public final class StandardLibraryMutexLock: Lock {
  private let mutex = Mutex<Void>(())

  /// Makes a free lock.
  public init() {}

  /// Runs `body` inside the mutex's `withLock`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try mutex.withLock { _ in try body() }
  }
}
