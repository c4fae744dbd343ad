import Foundation

/// `NSLock`: a POSIX mutex in an object.
package struct FoundationLock: Lock {
  private let lock = NSLock()

  /// Makes a free lock.
  package init() {}

  /// Runs `body` between `lock` and `unlock`.
  package func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
