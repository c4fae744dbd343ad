import Dispatch

/// Hands one value to a waiting thread that belongs to no pool.
///
/// `@unchecked Sendable`: the value is written before the semaphore is signalled and read after the
/// wait. A `Mutex` cannot be used: prediction cannot decide about a module that uses one.
package final class HandOver<Value: Sendable>: @unchecked Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private var value: Value?

  /// Creates a hand-over without a value.
  package init() {}

  /// Hands the value over. Called once.
  package func give(_ value: Value) {
    self.value = value
    isThere.signal()
  }

  /// Waits for the value. Called once.
  package func take() -> Value {
    isThere.wait()
    guard let value else { preconditionFailure("the semaphore is signalled after the value") }
    return value
  }
}
