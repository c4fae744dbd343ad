import Dispatch

/// A cache whose lock is a serial queue, which it enters again while it is on the queue.
///
/// AwesomeCache (its issues 10, 58 and 66) and hyperoslo's Cache (146, 249) did so: a method that
/// locks by `sync` calls another that does.
///
/// **1,000 reads**: the first one traps on its thread. libdispatch detects that the caller already
/// owns the queue; on Apple's systems the crash report says "dispatch_sync called on queue already
/// owned by current thread", on Linux that text is compiled out and SIGILL is all.
package final class ReentrantSerialQueueCache: QueuedCache {
  let queue = DispatchQueue(label: "interlock.reentrant-serial-queue-cache")
  let storage = Storage(isLocked: true)

  /// Makes an empty cache.
  package init() {}

  /// The value under a key. Notes the access on the queue by a nested `sync`, which traps.
  package func value(forKey key: String) -> [UInt8]? {
    queue.sync {
      let value = storage.value(forKey: key)
      if value != nil { noteAccess(key) }
      return value
    }
  }

  private func noteAccess(_ key: String) {
    queue.sync { storage.touch(key) }
  }
}
