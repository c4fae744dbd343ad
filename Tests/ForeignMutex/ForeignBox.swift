public import Synchronization

/// A `Mutex` that this module and instrumented modules use. This module is not instrumented, and
/// its copies of the functions of `Mutex` come before theirs in an executable.
public final class ForeignBox: Sendable {
  /// Public, for the other modules.
  public let value = Mutex(0)

  /// Makes a box.
  public init() {}

  /// Adds to the value.
  public func add() { value.withLock { $0 += 1 } }

  /// The value.
  public func read() -> Int { value.withLock { $0 } }

  /// Calls a function of another module under the mutex.
  public func locked(_ body: () -> Void) { value.withLock { _ in body() } }

  /// Calls a function as `locked` does, if the mutex is free.
  public func tried(_ body: () -> Void) { value.withLockIfAvailable { _ in body() } }
}
