import Dispatch

/// A serial queue over the shared pool, entered by `sync`; a reader leaves an asynchronous block
/// behind, as the cache `serial-queue-sync` notes an access.
///
/// **Starves the pool** if all its threads call it: the block needs one of these threads, and the
/// callers wait behind the block.
public struct SerialQueueSyncLock: Lock {
  private let queue = DispatchQueue(label: "interlock.serial-queue-sync-lock", target: .global())

  /// Makes a free lock.
  public init() {}

  /// Runs `body` by `sync` on the queue.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(execute: body)
  }

  /// Runs `body` by `sync` on the queue, and adds an asynchronous block.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    defer { queue.async {} }
    return try queue.sync(execute: body)
  }
}
