import Dispatch

/// A concurrent queue entered by `async`, whose caller waits on a semaphore, as the cache
/// `semaphore-over-async` and TMCache do.
///
/// **Starves the pool** if all its threads call it: the block that signals needs one of them.
public struct SemaphoreOverAsyncLock: Lock {
  private let queue = DispatchQueue(
    label: "interlock.semaphore-over-async-lock", attributes: .concurrent)

  /// Several readers hold it at a time.
  public static var sharesReads: Bool { true }

  /// Makes a free lock.
  public init() {}

  /// Runs `body` on the queue under a barrier, and waits for it.
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    try wait(flags: .barrier, body) { throw $0 }
  }

  /// Runs `body` on the queue, concurrently with other readers, and waits for it.
  public func withSharedLock<R>(_ body: () throws -> R) rethrows -> R {
    try wait(flags: [], body) { throw $0 }
  }

  /// `rescue` throws an error of `body`: without it this function could not rethrow.
  private func wait<R>(
    flags: DispatchWorkItemFlags, _ body: () throws -> R, rescue: (any Error) throws -> R
  ) rethrows -> R {
    let call = Call<R>()
    withoutActuallyEscaping(body) { body in
      call.body = body
      queue.async(flags: flags) {
        call.run()
        call.semaphore.signal()
      }
      call.semaphore.wait()
    }
    switch call.result {
    case .success(let value)?: return value
    case .failure(let error)?: return try rescue(error)
    case nil: preconditionFailure("the semaphore was signalled before the block had run")
    }
  }
}

/// A call that the queue makes for a waiting caller.
///
/// `@unchecked Sendable`: the caller writes it before the block is enqueued, and reads it after the
/// block's signal.
private final class Call<R>: @unchecked Sendable {
  let semaphore = DispatchSemaphore(value: 0)
  var body: (() throws -> R)?
  var result: Result<R, any Error>?

  /// Releases the body as well: the caller's closure ends with the caller's wait.
  func run() {
    result = body.map { body in Result { try body() } }
    body = nil
  }
}
