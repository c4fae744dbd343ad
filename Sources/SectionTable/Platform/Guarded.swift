#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

internal import CMarks

/// A value behind a pthread mutex, for code off the fast path.
///
/// `Synchronization.Mutex` cannot be used: ThreadSanitizer does not see its slow path, and reports
/// false races under contention.
package final class Guarded<Value>: @unchecked Sendable {
  // Unchecked: the compiler cannot see that `value` is accessed only under `mutex`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<R, Failure: Error>(_ body: (inout Value) throws(Failure) -> R)
    throws(Failure) -> R
  {
    interlock_enter_tracker_lock()
    pthread_mutex_lock(mutex)
    defer {
      pthread_mutex_unlock(mutex)
      interlock_leave_tracker_lock()
    }
    return try body(&value)
  }
}
