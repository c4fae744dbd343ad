import Dispatch
import LockStrategies

/// How calls of a storage exclude each other.
enum HybridLocking: Sendable, Hashable, CaseIterable {
  /// A serial queue for synchronous calls and another for asynchronous ones: hyperoslo's Cache
  /// since 4.0.0 (pull request 146, "Use 2 serial queues"), and its newest version.
  case twoQueues
  /// One serial queue for both: before pull request 146 (c3b8602), and in pull request 287, not
  /// merged.
  case oneQueue
  /// One lock for both, released before completions and observers are called. Pull request 287 says
  /// that locks would end both faults.
  case lock
}

/// Calls a storage on its own queue, and waits: SyncStorage.swift of hyperoslo's Cache 7.4.0.
final class HybridSyncStorage<Value: Sendable>: Sendable {
  let storage: HybridStorage<Value>
  private let queue: DispatchQueue
  private let lock: PthreadMutexLock?

  init(_ storage: HybridStorage<Value>, on queue: DispatchQueue, lock: PthreadMutexLock?) {
    self.storage = storage
    self.queue = queue
    self.lock = lock
  }

  func perform<R: Sendable>(_ body: (HybridStorage<Value>) throws -> R) throws -> R {
    if let lock { return try storage.perform(under: lock, body) }
    // As the original does: the form of `sync` that returns a value costs twice as much.
    var result: R?
    var failure: (any Error)?
    queue.sync {
      do { result = try body(storage) } catch { failure = error }
    }
    if let result { return result }
    throw failure ?? HybridStorageError.notFound
  }
}

/// Calls a storage on its own queue, and calls back from there: AsyncStorage.swift of hyperoslo's
/// Cache 7.4.0.
final class HybridAsyncStorage<Value: Sendable>: Sendable {
  let storage: HybridStorage<Value>
  private let queue: DispatchQueue
  private let lock: PthreadMutexLock?

  init(_ storage: HybridStorage<Value>, on queue: DispatchQueue, lock: PthreadMutexLock?) {
    self.storage = storage
    self.queue = queue
    self.lock = lock
  }

  func perform<R: Sendable>(
    _ body: @escaping @Sendable (HybridStorage<Value>) throws -> R,
    completion: @escaping @Sendable (Result<R, any Error>) -> Void
  ) {
    queue.async { [weak self] in
      guard let self else { return completion(.failure(HybridStorageError.deallocated)) }
      completion(
        Result {
          guard let lock = self.lock else { return try body(self.storage) }
          return try self.storage.perform(under: lock, body)
        })
    }
  }
}

extension HybridStorage {
  /// Runs a call under a lock, and calls the observers after releasing it.
  fileprivate func perform<R: Sendable>(
    under lock: PthreadMutexLock, _ body: (HybridStorage) throws -> R
  ) throws -> R {
    let (result, notices) = lock.withLock { collectingNotices(body) }
    for notice in notices { notice() }
    return try result.get()
  }
}
