import Caches
import Dispatch
import Foundation
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

/// A cache of bytes in memory and in files, with synchronous and asynchronous calls, expiry and
/// observers: Storage.swift of hyperoslo's Cache 7.4.0 (12c81c3).
///
/// Synchronous calls run on one private serial queue and asynchronous ones on another, over one
/// storage that locks nothing, so that the two run concurrently. Completions and observers are
/// called on the queue. A value that cannot be read counts as missing, and one that cannot be
/// written is in memory alone.
final class HybridStorageCache: Cache {
  private let storage: HybridStorage
  private let queue = DispatchQueue(label: "Cache.SyncStorage.SerialQueue")
  private let later: HybridAsyncStorage
  private let lock: PthreadMutexLock?

  /// Puts a cache over a directory, and creates it if it is missing.
  init(directory: URL, locking: HybridLocking = .twoQueues) {
    storage = HybridStorage(CacheFolder(path: directory.path), repaired: locking == .lock)
    lock = locking == .lock ? PthreadMutexLock() : nil
    later = HybridAsyncStorage(
      storage, lock,
      on: locking == .oneQueue
        ? queue : DispatchQueue(label: "Cache.AsyncStorage.SerialQueue"))
  }

  private func perform<R>(_ body: (HybridStorage) -> R) -> R {
    if let lock { return storage.perform(under: lock, body) }
    return queue.sync { body(storage) }
  }

  /// Calls `closure` for every change, on the queue that makes it.
  @discardableResult
  func addStorageObserver(_ closure: @escaping @Sendable () -> Void) -> HybridObservation {
    storage.observers.add(closure)
  }

  // MARK: The synchronous calls

  /// The value under a key, whether or not it has expired; fills memory from disk.
  func value(forKey key: String) -> [UInt8]? { perform { $0.value(forKey: key) } }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    perform { $0.setValue(value, forKey: key) }
  }

  func removeValue(forKey key: String) { perform { $0.removeValue(forKey: key) } }

  func removeAllValues() { perform { $0.removeAll() } }

  var count: Int { perform { $0.memory.keys.count } }

  /// The values of the keys that memory knows; without costs.
  func entries() -> [String: CacheEntry]? {
    perform { storage in
      var entries: [String: CacheEntry] = [:]
      for key in storage.memory.keys {
        entries[key] = storage.value(forKey: key).map { CacheEntry(value: $0, cost: 0) }
      }
      return entries
    }
  }

  /// The keys in memory, and those of the files, which are equal after all operations have ended.
  var keys: (inMemory: Set<String>, onDisk: Set<String>) {
    (Set(storage.memory.store.value.keys), Set(storage.folder.keys()))
  }

  // MARK: The asynchronous calls

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    later.perform({ $0.value(forKey: key) }) { completion($0 ?? nil) }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    later.perform({ $0.setValue(value, forKey: key) }) { _ in completion() }
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    later.perform({ $0.removeValue(forKey: key) }) { _ in completion() }
  }

  func removeExpiredObjects(completion: @escaping @Sendable () -> Void) {
    later.perform({ $0.removeExpiredObjects() }) { _ in completion() }
  }
}

/// Calls a storage on its own queue, and calls back from there: AsyncStorage.swift of hyperoslo's
/// Cache 7.4.0.
private final class HybridAsyncStorage: Sendable {
  private let storage: HybridStorage
  private let lock: PthreadMutexLock?
  private let queue: DispatchQueue

  init(_ storage: HybridStorage, _ lock: PthreadMutexLock?, on queue: DispatchQueue) {
    self.storage = storage
    self.lock = lock
    self.queue = queue
  }

  /// Calls back with `nil` if the cache was freed before.
  func perform<R>(
    _ body: @escaping @Sendable (HybridStorage) -> R, completion: @escaping @Sendable (R?) -> Void
  ) {
    queue.async { [weak self] in
      guard let self else { return completion(nil) }
      completion(lock.map { storage.perform(under: $0, body) } ?? body(storage))
    }
  }
}
