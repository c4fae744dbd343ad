#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A POSIX mutex at an address that never changes, which POSIX asks for and a Swift property does
/// not give.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the mutex is made to be shared.
struct PINMutex: @unchecked Sendable {
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

  @inline(__always)
  func unlock() { check(pthread_mutex_unlock(mutex)) }

  /// Gives the memory back; nobody may be in, or come.
  func destroy() {
    check(pthread_mutex_destroy(mutex))
    mutex.deallocate()
  }
}

/// A POSIX condition at an address that never changes.
///
/// `@unchecked Sendable`: the pointer is never reassigned, and the condition is made to be shared.
struct PINCondition: @unchecked Sendable {
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    check(pthread_cond_init(condition, nil))
  }

  /// Gives up the mutex until it is woken, for whatever reason: POSIX allows a wake-up without any.
  func wait(_ mutex: PINMutex) { check(pthread_cond_wait(condition, mutex.mutex)) }

  func broadcast() { check(pthread_cond_broadcast(condition)) }

  /// Gives the memory back; nobody may wait.
  func destroy() {
    check(pthread_cond_destroy(condition))
    condition.deallocate()
  }
}

/// Ends the process on an error of a call that fails only when it is misused.
@inline(__always)
private func check(_ code: Int32, caller: StaticString = #function) {
  precondition(code == 0, "\(caller) failed with error \(code)")
}
