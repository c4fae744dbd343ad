import Dispatch
import LockStrategies

/// A cache of objects in memory and in files, with synchronous and asynchronous calls, expiry and
/// observers.
///
/// A model of Storage.swift of hyperoslo's Cache 7.4.0 (12c81c3): `setObject`, `entry`, `object`,
/// `removeObject`, `removeInMemoryObject`, `removeAll`, `removeExpiredObjects`, `transform`,
/// `addStorageObserver`, `addObserver`, and their asynchronous twins. Synchronous calls run on one
/// private serial queue and asynchronous ones on another, over one storage that locks nothing, so
/// that the two run concurrently. Completions and observers are called on the queue.
final class HybridStorageCache<Value: Sendable>: Sendable {
  let storage: HybridStorage<Value>
  let sync: HybridSyncStorage<Value>
  let async: HybridAsyncStorage<Value>
  private let locking: HybridLocking

  /// Puts a cache over a directory.
  ///
  /// - Parameters:
  ///   - memory: The storage in memory, which nothing else may use.
  ///   - disk: The storage in files, which nothing else may use.
  ///   - locking: How calls exclude each other; as shipped by default.
  convenience init(
    memory: HybridMemoryStorage<Value> = HybridMemoryStorage(), disk: HybridDiskStorage<Value>,
    locking: HybridLocking = .twoQueues
  ) {
    self.init(
      HybridStorage(memory: memory, disk: disk, repaired: locking == .lock), locking: locking)
  }

  private init(_ storage: HybridStorage<Value>, locking: HybridLocking) {
    let queue = DispatchQueue(label: "Cache.SyncStorage.SerialQueue")
    let other =
      locking == .oneQueue ? queue : DispatchQueue(label: "Cache.AsyncStorage.SerialQueue")
    let lock = locking == .lock ? PthreadMutexLock() : nil
    self.storage = storage
    self.locking = locking
    sync = HybridSyncStorage(storage, on: queue, lock: lock)
    async = HybridAsyncStorage(storage, on: other, lock: lock)
  }

  /// The same files as objects of another type, behind new queues and an empty memory.
  func transform<Other: Sendable>(
    _ transformer: HybridTransformer<Other>
  ) -> HybridStorageCache<Other> {
    HybridStorageCache<Other>(
      HybridStorage<Other>(
        memory: storage.memory.transformed(), disk: storage.disk.transformed(transformer),
        repaired: locking == .lock),
      locking: locking)
  }

  /// What is stored under a key, whether or not it has expired; fills memory from disk.
  func entry(forKey key: String) throws -> HybridEntry<Value> {
    try sync.perform { try $0.entry(forKey: key) }
  }

  /// The object under a key, whether or not it has expired.
  func object(forKey key: String) throws -> Value {
    try sync.perform { try $0.object(forKey: key) }
  }

  /// Whether something is stored under a key.
  func objectExists(forKey key: String) -> Bool { (try? entry(forKey: key)) != nil }

  /// Whether the object under a key has expired, or is missing.
  func isExpiredObject(forKey key: String) -> Bool {
    (try? entry(forKey: key))?.expiry.isExpired ?? true
  }

  /// Stores an object in memory and in a file.
  ///
  /// - Throws: What went wrong with the file; memory has the object then.
  func setObject(_ object: Value, forKey key: String, expiry: HybridExpiry? = nil) throws {
    try sync.perform { try $0.setObject(object, forKey: key, expiry: expiry) }
  }

  /// Removes an object.
  ///
  /// - Throws: Foundation's error if there is no file.
  func removeObject(forKey key: String) throws {
    try sync.perform { try $0.removeObject(forKey: key) }
  }

  /// Removes an object from memory alone.
  func removeInMemoryObject(forKey key: String) throws {
    try sync.perform { $0.removeInMemoryObject(forKey: key) }
  }

  /// Removes everything.
  func removeAll() throws { try sync.perform { try $0.removeAll() } }

  /// Removes expired objects, and then those that expire first until the files are within their
  /// limit.
  func removeExpiredObjects() throws { try sync.perform { try $0.removeExpiredObjects() } }

  /// The keys of memory: those that were stored or read since the cache was made.
  var allKeys: Set<String> { (try? sync.perform { $0.memory.allKeys }) ?? [] }

  /// The size of all files together; bytes.
  var totalDiskStorageSize: Int { storage.disk.totalSize }

  /// Calls `closure` for every change, on the queue that makes it.
  @discardableResult
  func addStorageObserver(
    _ closure: @escaping @Sendable (HybridStorageChange) -> Void
  ) -> HybridObservation { storage.observers.add(closure) }

  /// Calls `closure` for changes of one key, and replaces the key's previous observer.
  @discardableResult
  func addObserver(
    forKey key: String, _ closure: @escaping @Sendable (HybridKeyChange<Value>) -> Void
  ) -> HybridObservation { storage.observers.add(forKey: key, closure) }

  /// Ends every observation of all changes.
  func removeAllStorageObservers() { storage.observers.removeAllOfStorage() }

  /// Ends every observation of a key.
  func removeAllKeyObservers() { storage.observers.removeAllOfKeys() }
}
