import Dispatch

/// What runs the asynchronous methods: a concurrent Dispatch queue, as in 2.0. (3.0.4 has a
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
