import Dispatch

/// A cache whose lock is a serial queue, and which enters it a second time while it is in.
///
/// AwesomeCache (its issues 10, 58 and 66) and hyperoslo's Cache (146, 249) did it: a method that
/// locks by `sync` calls another that does.
///
/// **1,000 reads**: the first one traps, in whatever thread. libdispatch sees that the queue is the
/// caller's own; Apple's systems put "dispatch_sync called on queue already owned by current
/// thread" into the crash report, and on Linux that text is compiled out: SIGILL, and nothing else.
package final class ReentrantSerialQueueCache: QueuedCache {
  let queue = DispatchQueue(label: "interlock.reentrant-serial-queue-cache")
  let storage = Storage(isLocked: true)

  /// Makes an empty cache.
  package init() {}

  /// The value under a key. The access is noted inside: the queue waits for itself.
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
