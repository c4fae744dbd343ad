import Foundation

/// `NSRecursiveLock`: what Objective-C's `@synchronized` takes for an object.
///
/// It is recursive: the thread that is in may enter again. That hides the question whether what it
/// protects was whole at the inner entry.
public struct RecursiveFoundationLock: Lock {
  private let lock = NSRecursiveLock()

  /// Makes an open lock.
  public init() {}

  /// Runs `body` between `lock` and `unlock`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
