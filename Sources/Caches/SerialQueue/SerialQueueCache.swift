package import Dispatch

/// A cache whose lock is a serial queue: reads are `sync`, and note the access by `async`.
///
/// The source is the sentence of Apple's guide to moving from threads to Dispatch that the article
/// on PINCache quotes: "as long as you submit your tasks to a serial queue asynchronously, the
/// queue can never deadlock". Here some are submitted asynchronously and some not, as in many
/// caches (SDWebImage's and AwesomeCache's queues, TMCache's getters).
///
/// **1,000 reads on a queue that targets the shared pool** (`.global()`): the first read leaves an
/// asynchronous item behind, which needs a thread of that pool. By then other readers hold all its
/// threads, and wait in `sync` behind that item: starvation. On Linux the pool starts at the number
/// of processors and grows by one thread a second to 255, and each new thread starts the next
/// reader; on Apple's systems its limit is 64 (or five for each processor, if that is more).
///
/// **On a queue of its own without a target** the same code passes on Linux: a serial queue then
/// gets its thread from the overcommitting pool (at most 255), which the readers have not used up.
/// On Apple's systems the same holds up to the 512 threads of a process. The verdict depends on
/// where a queue gets its threads, which the call does not show.
package final class SerialQueueCache: QueuedCache {
  let queue: DispatchQueue
  let storage = Storage(isLocked: true)

  /// Makes an empty cache.
  ///
  /// - Parameter target: The queue that provides its threads; `nil` for a pool that the system
  ///   chooses.
  package init(target: DispatchQueue?) {
    queue = DispatchQueue(label: "interlock.serial-queue-cache", target: target)
  }

  /// The value under a key; notes the access later.
  package func value(forKey key: String) -> [UInt8]? {
    let value = queue.sync { storage.value(forKey: key) }
    if value != nil { queue.async { self.storage.touch(key) } }
    return value
  }

  /// Reads on the queue, and notes the access in the same block.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    queue.async {
      let value = self.storage.value(forKey: key)
      if value != nil { self.storage.touch(key) }
      completion(value)
    }
  }

  /// Stores on the queue.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    queue.async {
      self.storage.setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  /// Removes on the queue.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    queue.async {
      self.storage.removeValue(forKey: key)
      completion()
    }
  }
}
