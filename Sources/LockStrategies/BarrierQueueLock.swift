import Dispatch

/// A concurrent queue as a reader-writer lock: readers by `sync`, writers by `sync` with a barrier.
///
/// It never uses `async`, so it needs no threads but the callers'. A barrier inside a `sync` of the
/// same queue deadlocks.
public struct BarrierQueueLock: Lock {
  private let queue = DispatchQueue(label: "interlock.barrier-queue-lock", attributes: .concurrent)

  /// Several readers hold it at a time.
  public static var sharesReads: Bool { true }

  /// Makes a free lock.
  public init() {}

  /// Runs `body` by `sync` with a barrier.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(flags: .barrier, execute: body)
  }

  /// Runs `body` by `sync`, concurrently with other readers.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    try queue.sync(execute: body)
  }
}
