import Foundation

/// A POSIX mutex of the default kind, as application code wraps it: a relock never returns.
package final class PosixMutex: @unchecked Sendable {
  // A pointer: a lock must not move, and a stored property has no stable address.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Waits at a condition; the mutex is free meanwhile.
  package func wait(at condition: PosixCondition) { pthread_cond_wait(condition.condition, mutex) }
}

/// A POSIX condition.
package final class PosixCondition: @unchecked Sendable {
  fileprivate let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() { pthread_cond_init(condition, nil) }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  package func signal() { pthread_cond_signal(condition) }
}

/// A POSIX reader-writer lock.
package final class PosixReadWriteLock: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  package init() { pthread_rwlock_init(lock, nil) }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  package func lockToRead() { pthread_rwlock_rdlock(lock) }
  package func lockToWrite() { pthread_rwlock_wrlock(lock) }
  package func unlock() { pthread_rwlock_unlock(lock) }
}
