import Foundation
import Interlock

/// What a caller of `ImageCache.get` holds, to take the request back with.
///
/// `@unchecked Sendable`: as shipped, `callback` is unguarded; its accesses are sections of the
/// group's.
package final class ImageRequest: @unchecked Sendable {
  typealias Outcome = Result<[UInt8], ImageSourceError>

  /// Set when the request joins a group, before anybody else knows the request.
  var group: RequestGroup?
  private var callback: (@Sendable (Outcome) -> Void)?
  /// The fix: held while the callback runs, so that `cancel()` either comes first and the callback
  /// never, or waits until it has run. Recursive, so that a callback may cancel its own request.
  /// `nil` as shipped.
  private let turn: NSRecursiveLock?

  init(isRepaired: Bool, callback: @escaping @Sendable (Outcome) -> Void) {
    turn = isRepaired ? NSRecursiveLock() : nil
    self.callback = callback
  }

  /// Takes the request back: its callback is not called any more, and the download ends if nobody
  /// else wants it.
  ///
  /// In the repaired cache, no callback is called after this has returned; it waits for one that is
  /// being called on another thread, so do not call it while holding what the callback needs.
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

  /// The callback; for the group, in a section of its own.
  var currentCallback: (@Sendable (Outcome) -> Void)? { callback }

  /// Forgets the callback; for the group, in a section of its own.
  func forgetCallback() { callback = nil }

  /// Calls the callback, unless it was called or cancelled before: whoever takes it out first has
  /// it.
  func callOnce(_ outcome: Outcome) {
    turn?.lock()
    defer { turn?.unlock() }
    let taken = callback
    callback = nil
    taken?(outcome)
  }
}
