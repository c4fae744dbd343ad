import Synchronization

/// A type whose symbols abbreviate `Mutex`, or all of `Synchronization.Mutex`.
package final class MutexBox: Sendable {
  private let value = Mutex(0)

  package init() {}

  package func add() { value.withLock { $0 += 1 } }

  /// A `Mutex` in a local variable that a closure captures.
  package static func sum() -> Int {
    let value = Mutex(0)
    let add: () -> Void = { value.withLock { $0 += 1 } }
    add()
    return value.withLock { $0 }
  }

  package final class SynchronizationBox: Sendable {
    private let value = Mutex(0)

    package init() {}

    package func add() { value.withLock { $0 += 1 } }
  }
}
