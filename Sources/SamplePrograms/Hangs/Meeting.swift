import Dispatch

/// Where two threads wait for each other: what each did before is done when either goes on.
///
/// So that two that need luck to meet always do. It holds nobody once both have come.
struct Meeting: Sendable {
  private let here = DispatchSemaphore(value: 0)
  private let there = DispatchSemaphore(value: 0)

  /// One comes, and waits for the other.
  func come() {
    here.signal()
    there.wait()
  }

  /// The other comes, and waits for the one.
  func comeToo() {
    there.signal()
    here.wait()
  }
}
