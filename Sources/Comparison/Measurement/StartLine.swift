import Dispatch

/// Where callers wait until all have come, and are let go together.
///
/// `@unchecked Sendable`: `starter` is set before anybody is let go, and called by the one that
/// lets go.
final class StartLine: @unchecked Sendable {
  private let parties: Int
  private let arrived = DispatchSemaphore(value: 0)
  private let gate = DispatchGroup()
  private var starter: (() -> Void)?

  init(parties: Int) {
    self.parties = parties
    gate.enter()
  }

  /// Called by each caller on a thread of its own.
  func arriveAndWait() {
    arrived.signal()
    gate.wait()
  }

  /// For callers on threads that are not theirs, which must not wait there: they are put on their
  /// pool when they are let go.
  func startWithoutThem(_ starter: @escaping () -> Void) { self.starter = starter }

  /// Waits until every caller has come.
  func waitForAll() {
    guard starter == nil else { return }
    for _ in 0..<parties { arrived.wait() }
  }

  /// Lets all go.
  func release() {
    starter?()
    gate.leave()
  }
}
