import Foundation
import Interlock

/// A request of a caller of `ImageCache.get`, which can cancel it.
///
/// `@unchecked Sendable`: as shipped, `callback` is unguarded; the group accesses it in sections of
/// its own.
final class ImageRequest: @unchecked Sendable {
  /// Set when the request joins a group, before any other thread has the request.
  var group: RequestGroup?
  private var callback: (@Sendable (ImageResult) -> Void)?
  /// The fix: held during the callback, so that `cancel()` either prevents the callback or waits
  /// until it has run. Recursive, so that a callback may cancel its own request. `nil` as shipped.
  private let turn: NSRecursiveLock?

  init(isRepaired: Bool, callback: @escaping @Sendable (ImageResult) -> Void) {
    turn = isRepaired ? NSRecursiveLock() : nil
    self.callback = callback
  }

  /// Cancels the request: its callback is no longer called, and the download ends if no other
  /// request needs it.
  ///
  /// In the repaired cache no callback runs after this returns: it waits for one that runs on
  /// another thread, so do not call it while holding a lock that the callback needs.
  func cancel() {
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
  var currentCallback: (@Sendable (ImageResult) -> Void)? { callback }

  /// Drops the callback; the group calls this in its section.
  func forgetCallback() { callback = nil }

  /// Calls the callback, unless it was called or cancelled before.
  func callOnce(_ outcome: ImageResult) {
    turn?.lock()
    defer { turn?.unlock() }
    let taken = callback
    callback = nil
    taken?(outcome)
  }
}
