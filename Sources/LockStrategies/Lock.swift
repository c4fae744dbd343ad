/// A way to let one caller at a time, or several readers, into a stretch of code.
///
/// A strategy is what is compared, so each conformance is the thinnest possible layer over one
/// mechanism of the platform. Unless a strategy says otherwise it is not recursive: taking it again
/// on a thread that holds it never returns.
public protocol Lock: Sendable {
  /// Runs `body` while nobody else is in `withLock` or `withSharedLock` of this lock.
  func withLock<R>(_ body: () throws -> R) rethrows -> R

  /// Runs `body` while nobody is in `withLock` of this lock; others may be in `withSharedLock`.
  ///
  /// The default is `withLock`: a strategy that knows no readers lets one in at a time.
  func withSharedLock<R>(_ body: () throws -> R) rethrows -> R
}

extension Lock {
  /// Lets one reader in at a time.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    try withLock(body)
  }
}
