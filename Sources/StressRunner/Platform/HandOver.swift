import Dispatch

/// Hands one value over to a thread that waits for it, and that belongs to no pool.
///
/// `@unchecked Sendable`: the value is written before the semaphore's signal and read after its
/// wait. Not a `Mutex`: prediction cannot decide about a module that uses one.
package final class HandOver<Value: Sendable>: @unchecked Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private var value: Value?

  /// Without a value.
  package init() {}

  /// Hands the value over; called once.
  package func give(_ value: Value) {
    self.value = value
    isThere.signal()
  }

  /// Waits for the value; called once.
  package func take() -> Value {
    isThere.wait()
    guard let value else { preconditionFailure("the semaphore is signalled after the value") }
    return value
  }
}
