/// A POSIX reader-writer lock: readers together, a writer alone.
///
/// On Linux the default kind prefers readers, so an endless stream of them keeps a writer out.
/// Neither system lets a reader become a writer: `withLock` inside `withSharedLock` never returns.
public final class ReaderWriterLock: Lock {
  private let lock = PthreadReaderWriterLock()

  /// Makes an open lock.
  public init() {}

  deinit { lock.destroy() }

  /// Runs `body` as the only one inside.
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
