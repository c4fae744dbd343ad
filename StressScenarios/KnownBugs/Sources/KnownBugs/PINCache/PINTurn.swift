/// The lock that lets the changes of a cache take turns, each with the blocks that announce it.
///
/// It is recursive, so that a block may change the cache. A pair shares one with both its layers:
/// with one for each, a block of one layer that changes the other could deadlock.
package final class PINTurn: Sendable {
  private let mutex = PINMutex(recursive: true)

  /// Makes a lock that no thread holds.
  package init() {}

  deinit { mutex.destroy() }

  func lock() { mutex.lock() }

  func unlock() { mutex.unlock() }
}
