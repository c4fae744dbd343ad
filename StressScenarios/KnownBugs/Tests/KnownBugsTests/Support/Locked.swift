import Foundation

/// A thread-safe value.
///
/// Not `Synchronization.Mutex`, for which ThreadSanitizer reports false races when it is contended.
/// `@unchecked Sendable`: the value is only touched under the lock.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<R, Failure: Error>(_ body: (inout Value) throws(Failure) -> R) throws(Failure) -> R
  {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
