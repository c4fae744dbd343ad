import Synchronization

/// A type whose symbols abbreviate `Mutex`, or all of `Synchronization.Mutex`.
package final class MutexBox: Sendable {
  private let value = Mutex(0)

  package init() {}

  package func add() { value.withLock { $0 += 1 } }

  package final class SynchronizationBox: Sendable {
    private let value = Mutex(0)

    package init() {}

    package func add() { value.withLock { $0 += 1 } }
  }
}
