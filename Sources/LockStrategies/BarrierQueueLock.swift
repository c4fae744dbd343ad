import Dispatch

/// A concurrent queue as a reader-writer lock: readers by `sync`, writers by `sync` with a barrier.
///
/// Nothing is put on the queue by `async`, so it needs no thread but the callers' own. A barrier
/// inside a `sync` of the same queue never returns.
public struct BarrierQueueLock: Lock {
  private let queue = DispatchQueue(label: "interlock.barrier-queue-lock", attributes: .concurrent)

  /// Makes an open lock.
  public init() {}

  /// Runs `body` by `sync` with a barrier.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(flags: .barrier, execute: body)
  }

  /// Runs `body` by `sync`, beside other readers.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(execute: body)
  }
}
