import Dispatch

/// A rendezvous of two threads: each continues only after the other has arrived.
///
/// It makes a collision that depends on timing certain.
struct Meeting: Sendable {
  private let here = DispatchSemaphore(value: 0)
  private let there = DispatchSemaphore(value: 0)

  /// The first thread arrives, and waits for the second.
  func come() {
    here.signal()
    there.wait()
  }

  /// The second thread arrives, and waits for the first.
  func comeToo() {
    there.signal()
    here.wait()
  }
}
