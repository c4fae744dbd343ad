package import Interlock

/// A lock strategy: admits one caller, or several readers, to a critical section at a time.
///
/// Strategies are compared with each other, so each conformance is the thinnest possible layer over
/// one mechanism of the platform. Unless a strategy says otherwise it is not recursive: a thread
/// that acquires it again deadlocks.
public protocol Lock: Sendable {
  /// Runs `body` while no other caller is in `withLock` or `withSharedLock` of this lock.
  func withLock<R>(_ body: () throws -> R) rethrows -> R

  /// Runs `body` while no caller is in `withLock` of this lock; others may be in `withSharedLock`.
  ///
  /// The default is `withLock`, for a strategy without shared access.
  func withSharedLock<R>(_ body: () throws -> R) rethrows -> R

  /// Whether `withSharedLock` admits several readers at a time; false unless a strategy says so.
  static var sharesReads: Bool { get }
}

extension Lock {
  /// Readers are admitted one at a time.
  public static var sharesReads: Bool { false }

  /// Admits one reader at a time.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    try withLock(body)
  }
}

// Not among the strategies that are measured: it reports to prediction.
extension ReportingMutex: Lock {}
