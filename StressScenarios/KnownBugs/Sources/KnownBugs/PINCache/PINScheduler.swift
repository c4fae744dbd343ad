import Caches
import Dispatch

/// The queue of the asynchronous methods: a concurrent Dispatch queue, as in 2.0. (3.0.4 has a
/// `PINOperationQueue`.)
final class PINScheduler: Sendable {
  private let queue = DispatchQueue(label: "com.pinterest.PINCache", attributes: .concurrent)
  private let running = DispatchGroup()

  func schedule(_ work: @escaping @Sendable () -> Void) {
    queue.async(group: running, execute: work)
  }

  /// Blocks until all work has ended, including work that other work has scheduled.
  func waitUntilIdle() { running.wait() }
}

/// A cache whose asynchronous methods run its synchronous ones later, which is how the fork
/// repaired TMCache's deadlock.
protocol PINScheduled: Cache {
  var scheduler: PINScheduler { get }
  func object(forKey key: String) -> PINObject?
  /// Reads later; the object is `nil` if there is none.
  func object(forKey key: String, completion: @escaping @Sendable (PINObject?) -> Void)
}

extension PINScheduled {
  func value(forKey key: String) -> [UInt8]? { object(forKey: key)?.bytes }

  func object(forKey key: String, completion: @escaping @Sendable (PINObject?) -> Void) {
    scheduler.schedule { completion(self.object(forKey: key)) }
  }

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key) { completion($0?.bytes) }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    scheduler.schedule {
      self.setValue(value, forKey: key, cost: cost)
      completion()
    }
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    scheduler.schedule {
      self.removeValue(forKey: key)
      completion()
    }
  }
}
