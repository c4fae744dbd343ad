import Foundation

/// A value behind a lock. `Mutex` cannot be used: ThreadSanitizer reports a contended one as a
/// race.
final class Locked<Value>: @unchecked Sendable {
  // Unchecked: the value is accessed only under the lock.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    try lock.withLock { try body(&value) }
  }
}
