import Dispatch

/// A barrier at which callers wait until all have arrived, and which releases them together.
///
/// `@unchecked Sendable`: the releasing thread alone sets and calls `starter`.
final class StartLine: @unchecked Sendable {
  private let parties: Int
  private let arrived = DispatchSemaphore(value: 0)
  private let gate = DispatchGroup()
  private var starter: (() -> Void)?

  init(parties: Int) {
    self.parties = parties
    gate.enter()
  }

  /// Called by each caller that has its own thread.
  func arriveAndWait() {
    arrived.signal()
    gate.wait()
  }

  /// For callers on pool threads, which must not block: `release()` calls `starter`, which puts
  /// them on their pool.
  func startWithoutThem(_ starter: @escaping () -> Void) { self.starter = starter }

  /// Waits until every caller has arrived.
  func waitForAll() {
    guard starter == nil else { return }
    for _ in 0..<parties { arrived.wait() }
  }

  /// Releases all callers.
  func release() {
    starter?()
    gate.leave()
  }
}
