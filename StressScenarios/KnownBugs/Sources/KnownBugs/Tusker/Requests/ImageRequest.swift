import Foundation
import Interlock

/// A request of a caller of `ImageCache.get`, which can cancel it.
///
/// `@unchecked Sendable`: as shipped, `callback` is unguarded; its accesses are sections of the
/// group's.
package final class ImageRequest: @unchecked Sendable {
  typealias Outcome = Result<[UInt8], ImageSourceError>

  /// Set when the request joins a group, before any other thread has the request.
  var group: RequestGroup?
  private var callback: (@Sendable (Outcome) -> Void)?
  /// The fix: held during the callback, so that `cancel()` either prevents the callback or waits
  /// until it has run. Recursive, so that a callback may cancel its own request. `nil` as shipped.
  private let turn: NSRecursiveLock?

  init(isRepaired: Bool, callback: @escaping @Sendable (Outcome) -> Void) {
    turn = isRepaired ? NSRecursiveLock() : nil
    self.callback = callback
  }

  /// Cancels the request: its callback is no longer called, and the download ends if no other
  /// request needs it.
  ///
  /// In the repaired cache no callback runs after this returns: it waits for one that runs on
  /// another thread, so do not call it while holding a lock that the callback needs.
  package func cancel() {
    guard let turn else {
      group?.cancel(self)
      return
    }
    turn.lock()
    let isFirst = callback != nil
    callback = nil
    turn.unlock()
    if isFirst { group?.cancel(self) }
  }

  /// The callback; the group calls this in its section.
  var currentCallback: (@Sendable (Outcome) -> Void)? { callback }

  /// Drops the callback; the group calls this in its section.
  func forgetCallback() { callback = nil }

  /// Calls the callback, unless it was called or cancelled before.
  func callOnce(_ outcome: Outcome) {
    turn?.lock()
    defer { turn?.unlock() }
    let taken = callback
    callback = nil
    taken?(outcome)
  }
}
