import Dispatch
import Foundation

/// Locks as the projects of users wrap them: each call of the lock is in this file.
func locked<Result>(_ lock: NSLock, _ body: () -> Result) -> Result {
  lock.lock()
  defer { lock.unlock() }
  return body()
}

/// A lock with a function that runs a closure under it, like NIOLock.
private final class ClosureLock: @unchecked Sendable {
  // Unchecked: a lock may be used by all threads.
  private let inner = NSLock()

  func withLock<Result>(_ body: () -> Result) -> Result { locked(inner, body) }
}

/// A value behind a lock that is itself a class, like NIOLockedValueBox.
final class LockBox<Value>: @unchecked Sendable {
  // Unchecked: `lock` protects the value.
  private let lock = ClosureLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLockedValue<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}

/// A property whose accessors lock.
@propertyWrapper
final class Locked<Value>: @unchecked Sendable {
  // Unchecked: `lock` protects the value.
  private let lock = NSLock()
  private var value: Value

  init(wrappedValue: Value) { value = wrappedValue }

  var wrappedValue: Value {
    get { locked(lock) { value } }
    set {
      lock.lock()
      value = newValue
      lock.unlock()
    }
  }
}

/// Makes each lock of a project.
func newLock() -> NSLock { NSLock() }

/// Runs blocks at the same time, and waits for them.
func parallel(_ blocks: (@Sendable () -> Void)...) {
  let group = DispatchGroup()
  for block in blocks { DispatchQueue.global().async(group: group, execute: block) }
  group.wait()
}
