import CInterlock
import Synchronization

/// `Synchronization.Mutex`, the standard library's lock.
///
/// Acquiring it again on the owner's thread traps with a message. On Linux it is a futex with
/// priority inheritance; ThreadSanitizer does not see that, and reports false races when it is
/// contended. Its fast path is inlined into this class and makes no call, so this class reports its
/// events to prediction.
package final class StandardLibraryMutexLock: Lock {
  private let mutex = Mutex<Void>(())

  /// Makes a free lock.
  package init() {
    tell(INTERLOCK_LOCK_MADE, interlock_caller())
  }

  deinit { tell(INTERLOCK_LOCK_DESTROYED, interlock_caller()) }

  /// Runs `body` inside the mutex's `withLock`.
  package func withLock<R>(_ body: () throws -> R) rethrows -> R {
    let caller = interlock_caller()
    return try mutex.withLock { _ in
      tell(INTERLOCK_LOCK_TAKEN, caller)
      defer { tell(INTERLOCK_LOCK_GIVEN_BACK, caller) }
      return try body()
    }
  }

  private func tell(_ change: interlock_lock_change, _ place: interlock_call_place) {
    interlock_tell_lock(change, Unmanaged.passUnretained(self).toOpaque(), place)
  }
}
