import Foundation

/// A POSIX mutex at a fixed address, which POSIX requires and a Swift property does not give.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the mutex is made to be shared.
struct PosixMutex: @unchecked Sendable {
  fileprivate let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init(recursive: Bool = false) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    check(pthread_mutexattr_init(&attributes))
    if recursive {
      check(pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE)))
    }
    check(pthread_mutex_init(mutex, &attributes))
    check(pthread_mutexattr_destroy(&attributes))
  }

  @inline(__always)
  func lock() { check(pthread_mutex_lock(mutex)) }

  /// Acquires the mutex if it is free; returns whether it did.
  @inline(__always)
  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  @inline(__always)
  func unlock() { check(pthread_mutex_unlock(mutex)) }

  /// Frees the memory; no thread may hold the mutex or call it later.
  func destroy() {
    check(pthread_mutex_destroy(mutex))
    mutex.deallocate()
  }
}

/// A POSIX condition at an address that never changes.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the condition is made to be shared.
struct PosixCondition: @unchecked Sendable {
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    check(pthread_cond_init(condition, nil))
  }

  /// Releases the mutex and waits for a wake-up; POSIX allows spurious ones.
  func wait(_ mutex: PosixMutex) { check(pthread_cond_wait(condition, mutex.mutex)) }

  func broadcast() { check(pthread_cond_broadcast(condition)) }

  /// Frees the memory; no thread may wait.
  func destroy() {
    check(pthread_cond_destroy(condition))
    condition.deallocate()
  }
}

/// Ends the process on an error; these calls fail only when misused.
@inline(__always)
private func check(_ code: Int32, caller: StaticString = #function) {
  precondition(code == 0, "\(caller) failed with error \(code)")
}
