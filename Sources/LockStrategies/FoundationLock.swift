import Foundation

/// `NSLock`: a POSIX mutex in an object.
public struct FoundationLock: Lock {
  private let lock = NSLock()

  /// Makes a free lock.
  public init() {}

  /// Runs `body` between `lock` and `unlock`.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
