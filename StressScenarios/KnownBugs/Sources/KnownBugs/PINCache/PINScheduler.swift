import Dispatch

/// How urgent a piece of work is.
package enum PINPriority: Sendable, Hashable, CaseIterable {
  /// Trims, and all work of the disk cache.
  case low
  /// Work of the pair.
  case normal
  /// Reads of memory, and settings of limits.
  case high
}

/// What runs the asynchronous methods: in 2.0 a private concurrent queue, in 3.0.4 a
/// `PINOperationQueue`.
package protocol PINScheduler: Sendable {
  /// Runs `work` later, on another thread.
  func schedule(_ priority: PINPriority, _ work: @escaping @Sendable () -> Void)

  /// Runs `work` later with `data`. Waiting work of the same identifier may be combined with it and
  /// run once, with `merge` of both data. The default implementation never combines.
  ///
  /// - Parameters:
  ///   - priority: The urgency.
  ///   - identifier: Identifies work that may be combined.
  ///   - data: The argument of `work`.
  ///   - merge: Combines two arguments into one.
  ///   - work: The work.
  ///   - completion: Called after the work, once for each call of this method.
  func schedule(
    _ priority: PINPriority, identifier: String, data: Double,
    merge: @escaping @Sendable (Double, Double) -> Double,
    work: @escaping @Sendable (Double) -> Void, completion: @escaping @Sendable () -> Void)
}

extension PINScheduler {
  /// Runs each by itself.
  package func schedule(
    _ priority: PINPriority, identifier: String, data: Double,
    merge: @escaping @Sendable (Double, Double) -> Double,
    work: @escaping @Sendable (Double) -> Void, completion: @escaping @Sendable () -> Void
  ) {
    schedule(priority) {
      work(data)
      completion()
    }
  }
}

/// A concurrent Dispatch queue as a scheduler; it knows no priorities.
package final class PINDispatchScheduler: PINScheduler {
  private let queue: DispatchQueue
  private let running = DispatchGroup()

  /// Makes a queue.
  package init(label: String = "com.pinterest.PINCache") {
    queue = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// Runs `work` on the queue.
  package func schedule(_ priority: PINPriority, _ work: @escaping @Sendable () -> Void) {
    queue.async(group: running, execute: work)
  }

  /// Blocks until all work has ended, including work that other work has scheduled.
  package func waitUntilIdle() {
    running.wait()
  }
}
