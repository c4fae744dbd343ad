import Dispatch

/// A serial queue of its own as a lock, entered by `sync` alone.
///
/// While nothing is ever put on the queue by `async`, `sync` runs on the calling thread and needs
/// no other: so this one cannot starve a pool. `sync` inside `sync` traps, on Linux without a word.
public struct SerialQueueLock: Lock {
  private let queue = DispatchQueue(label: "interlock.serial-queue-lock")

  /// Makes an open lock.
  public init() {}

  /// Runs `body` by `sync` on the queue.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(execute: body)
  }
}
