import Dispatch

/// A private serial queue as a lock, entered by `sync` alone.
///
/// Without `async`, `sync` runs on the calling thread and needs no other, so it cannot starve a
/// pool. `sync` inside `sync` traps, on Linux without a message.
public struct SerialQueueLock: Lock {
  private let queue = DispatchQueue(label: "interlock.serial-queue-lock")

  /// Makes a free lock.
  public init() {}

  /// Runs `body` by `sync` on the queue.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(execute: body)
  }
}
