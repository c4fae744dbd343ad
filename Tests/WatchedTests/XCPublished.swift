import Foundation
import XCTest

/// A published flaky test of XCTest, and its repair.
///
/// Source: BeeSwift, pull request 798: the listener observes in a separate task, so a notification
/// that is posted before it is lost. (Likewise bitwarden/ios, pull request 1375.)
final class XCPublished: XCTestCase {
  private static let changed = Notification.Name("changed")

  private let center = NotificationCenter()

  /// Observes the notification from now on, as elements of a stream.
  private func observe() -> AsyncStream<Void> {
    let (notes, input) = AsyncStream.makeStream(of: Void.self)
    let observer = center.addObserver(forName: Self.changed, object: nil, queue: nil) { _ in
      input.yield()
    }
    nonisolated(unsafe) let token = observer
    let center = center
    input.onTermination = { _ in center.removeObserver(token) }
    return notes
  }

  private func index(observesFirst: Bool) async {
    let indexed = expectation(description: "indexed")
    nonisolated(unsafe) let test = self
    let early = observesFirst ? observe() : nil
    let listener = Task {
      for await _ in early ?? test.observe() { indexed.fulfill() }
    }
    let center = center
    await MainActor.run { center.post(name: Self.changed, object: nil) }
    await fulfillment(of: [indexed], timeout: 1)
    listener.cancel()
    await listener.value
  }

  func testPostsEarly() async { await index(observesFirst: false) }
  func testPostsEarlyRepaired() async { await index(observesFirst: true) }
}
