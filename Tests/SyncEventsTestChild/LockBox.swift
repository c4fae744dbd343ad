import Foundation

/// A value behind its lock, as packages have it: each call of a lock is in this file.
final class LockBox<Value>: @unchecked Sendable {
  // Unchecked: `lock` protects the value.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLockedValue<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}

/// A lock with a function that runs a closure under it, like NIOLock.
final class ClosureLock: @unchecked Sendable {
  // Unchecked: a lock may be used by all threads.
  private let lock_ = NSLock()

  func lock() { lock_.lock() }
  func unlock() { lock_.unlock() }

  func withLock<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }
}

/// A value behind a lock that is itself a class, like NIOLockedValueBox: three functions are
/// between the user's call and the call of the C library.
final class DeepLockBox<Value>: @unchecked Sendable {
  // Unchecked: `lock` protects the value.
  private let lock = ClosureLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLockedValue<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}

/// A semaphore behind a class. A second semaphore is made at the same line.
final class SignalBox: Sendable {
  private let opens: DispatchSemaphore

  init() { opens = DispatchSemaphore(value: 0) }

  func wait() { opens.wait() }
}
