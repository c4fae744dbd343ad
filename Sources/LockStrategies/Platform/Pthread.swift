#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A POSIX mutex at a fixed address, which POSIX requires and a Swift property does not give.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the mutex is made to be shared.
struct PthreadMutex: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    check(pthread_mutex_init(mutex, nil))
  }

  /// Frees the memory; no thread may hold the lock, or acquire it again.
  func destroy() {
    check(pthread_mutex_destroy(mutex))
    mutex.deallocate()
  }

  func lock() { check(pthread_mutex_lock(mutex)) }

  func unlock() { check(pthread_mutex_unlock(mutex)) }
}

/// A POSIX reader-writer lock at a fixed address.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the lock is made to be shared.
struct PthreadReaderWriterLock: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  init() {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_rwlock_t())
    check(pthread_rwlock_init(lock, nil))
  }

  /// Frees the memory; no thread may hold the lock, or acquire it again.
  func destroy() {
    check(pthread_rwlock_destroy(lock))
    lock.deallocate()
  }

  func lockShared() { check(pthread_rwlock_rdlock(lock)) }

  func lockExclusively() { check(pthread_rwlock_wrlock(lock)) }

  func unlock() { check(pthread_rwlock_unlock(lock)) }
}

/// Yields the processor to another runnable thread.
func yieldProcessor() {
  sched_yield()
}

/// Ends the process on an error, because to continue without the lock would be worse; these calls
/// fail only when misused.
private func check(_ code: Int32, caller: StaticString = #function) {
  precondition(code == 0, "\(caller) failed with error \(code)")
}
