import CInterlockAnalysis
import ProcessInspection

/// The locks that the calling thread holds, as far as the watchdog has followed its calls.
enum HeldLocks {
  private static let mostThreads = 2048

  /// True if the calling thread holds a lock.
  ///
  /// Copies a kilobyte for each thread of the process, so call it only once a conflict was found.
  static var areHeldByCaller: Bool {
    let thread = UInt32(truncatingIfNeeded: Platform.thisThread)
    let count = min(interlock_waits_threads(nil, 0) + 16, mostThreads)
    let views = [interlock_thread_view](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = min(interlock_waits_threads(buffer.baseAddress, count), count)
    }
    return views.contains { $0.number == thread && $0.held_count > 0 }
  }
}
