package import Dispatch

/// A cache whose native methods are asynchronous, and whose synchronous ones wait for them, as in
/// TMCache.
///
/// The private queue is the lock: reads run on it concurrently, writes under a barrier, and a read
/// notes its access in a separate barrier. A synchronous call starts the asynchronous one and waits
/// on a semaphore that the callback signals.
///
/// **1,000 reads over a concurrent queue**: each waiting caller holds a thread, and the callback
/// that would wake it needs another thread of the same pool. When callers hold all threads, none is
/// left to signal: starvation (TMCache's issues 25, 39 and 71; its fork PINCache repaired it). On
/// Linux the pool starts at the number of processors and grows by one thread a second to 255, but
/// each new thread starts the next waiting caller; on Apple's systems its limit is 64 (or five for
/// each processor, if that is more).
///
/// **Over a serial queue of its own** the same code passes on Linux, in milliseconds: such a queue
/// gets its thread from the overcommitting pool, which the callers have not used up; on Apple's
/// systems too, up to the 512 threads of a process. The pattern is still wrong.
package final class SemaphoreOverAsyncCache: Cache {
  private let queue: DispatchQueue
  private let storage = Storage(isLocked: true)

  /// Makes an empty cache over a private queue with these attributes: `.concurrent`, or none for a
  /// serial one.
  package init(attributes: DispatchQueue.Attributes) {
    queue = DispatchQueue(label: "interlock.semaphore-over-async-cache", attributes: attributes)
  }

  // MARK: The native, asynchronous methods

  /// Reads on the queue; notes the access later, under a barrier.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    queue.async {
      let value = self.storage.value(forKey: key)
      if value != nil { self.queue.async(flags: .barrier) { self.storage.touch(key) } }
      completion(value)
    }
  }

  /// Stores on the queue, under a barrier.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    queue.async(flags: .barrier) {
      self.storage.setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  /// Removes on the queue, under a barrier.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    queue.async(flags: .barrier) {
      self.storage.removeValue(forKey: key)
      completion()
    }
  }

  /// Removes every value on the queue, under a barrier.
  package func removeAllValues(completion: @escaping @Sendable () -> Void) {
    queue.async(flags: .barrier) {
      self.storage.removeAllValues()
      completion()
    }
  }

  // MARK: The synchronous methods, which wait

  /// Waits for the asynchronous read.
  package func value(forKey key: String) -> [UInt8]? {
    waitForCallback { value(forKey: key, completion: $0) }
  }

  /// Waits for the asynchronous write.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    waitForCallback { done in setValue(value, forKey: key, cost: cost) { done(()) } }
  }

  /// Waits for the asynchronous removal.
  package func removeValue(forKey key: String) {
    waitForCallback { done in removeValue(forKey: key) { done(()) } }
  }

  /// Waits for the asynchronous removal.
  package func removeAllValues() {
    waitForCallback { done in removeAllValues { done(()) } }
  }

  // MARK: Reads by `sync`, as in TMCache

  /// How many values there are.
  package var count: Int {
    queue.sync { storage.count }
  }

  /// The total cost of all values.
  package var totalCost: Int? {
    queue.sync { storage.totalCost }
  }

  /// All entries.
  package func entries() -> [String: CacheEntry]? {
    queue.sync { storage.entries() }
  }
}
