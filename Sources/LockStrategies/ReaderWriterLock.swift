/// A POSIX reader-writer lock: readers together, a writer alone.
///
/// On Linux the default kind prefers readers, so that an endless stream of them starves a writer. A
/// reader cannot become a writer: `withLock` inside `withSharedLock` deadlocks.
public final class ReaderWriterLock: Lock {
  private let lock = PthreadReaderWriterLock()

  /// Several readers hold it at a time.
  public static var sharesReads: Bool { true }

  /// Makes a free lock.
  public init() {}

  deinit { lock.destroy() }

  /// Runs `body` with exclusive access.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lockExclusively()
    defer { lock.unlock() }
    return try body()
  }

  /// Runs `body` while others may read.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lockShared()
    defer { lock.unlock() }
    return try body()
  }
}
