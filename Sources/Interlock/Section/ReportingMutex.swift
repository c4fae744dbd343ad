internal import CMarks
internal import Synchronization

/// `Synchronization.Mutex` as a lock that prediction can follow. The mutex's fast path is inlined
/// into the caller, without a call, so this type reports each change.
package final class ReportingMutex: Sendable {
  private let mutex = Mutex<Void>(())

  /// Creates an unlocked mutex.
  package init() { report(INTERLOCK_LOCK_MADE, interlock_caller()) }

  deinit { report(INTERLOCK_LOCK_DESTROYED, interlock_caller()) }

  /// Runs `body` inside the mutex's `withLock`.
  @inline(never)
  package func withLock<R>(_ body: () throws -> R) rethrows -> R {
    let caller = interlock_caller()
    return try mutex.withLock { _ in
      report(INTERLOCK_LOCK_TAKEN, caller)
      defer { report(INTERLOCK_LOCK_GIVEN_BACK, caller) }
      return try body()
    }
  }

  private func report(_ change: interlock_lock_change, _ place: interlock_call_place) {
    interlock_publish_lock_change(change, Unmanaged.passUnretained(self).toOpaque(), place)
  }
}
