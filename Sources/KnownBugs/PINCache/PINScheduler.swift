import Dispatch

/// How urgent a piece of work is.
package enum PINPriority: Sendable, Hashable, CaseIterable {
  /// Trims, and all that the disk does.
  case low
  /// What the pair does.
  case normal
  /// What is read from memory, and limits that are set.
  case high
}

/// What runs the asynchronous methods: in 2.0 a private concurrent queue, in 3.0.4 a
/// `PINOperationQueue`.
package protocol PINScheduler: Sendable {
  /// Runs `work` later, on another thread.
  func schedule(_ priority: PINPriority, _ work: @escaping @Sendable () -> Void)

  /// Runs `work` later with `data`; work of the same identifier that has not begun may be run
  /// together with it, once, with `merge` of both data. The default never does that.
  ///
  /// - Parameters:
  ///   - priority: How urgent it is.
  ///   - identifier: What work may be run together.
  ///   - data: What `work` is given.
  ///   - merge: What it is given in the place of two.
  ///   - work: What is run.
  ///   - completion: What is called after it, for each call of this method.
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

  /// Blocks until nothing is under way; work that work has scheduled is waited for too.
  package func waitUntilIdle() {
    running.wait()
  }
}
