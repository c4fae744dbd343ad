import Foundation

/// `NSRecursiveLock`, which behaves as Objective-C's `@synchronized`.
///
/// It is recursive: the owner may acquire it again. So the protected state may be inconsistent at
/// an inner acquisition.
public struct RecursiveFoundationLock: Lock {
  private let lock = NSRecursiveLock()

  /// Makes a free lock.
  public init() {}

  /// Runs `body` between `lock` and `unlock`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
