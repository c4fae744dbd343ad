import Caches
import Dispatch
import Foundation

/// A cache with a storage in memory before one in files, each with a queue to read on and a queue
/// to write on.
///
/// A model of BasicHybridCache.swift of hyperoslo's Cache 1.0.0 (`add`, `object`, `remove`,
/// `clear`) and of the storages behind it; every call is asynchronous, and calls back on a queue of
/// the storage that ended it. Reads and writes of one storage run concurrently, so the
/// result of a read may be out of date when the call acts on it.
final class BasicHybridCache: Sendable {
  let front: TwoQueueMemoryStorage
  let back: TwoQueueDiskStorage

  /// Puts a cache over a directory, which is made when something is stored.
  ///
  /// - Parameters:
  ///   - directory: The directory, which nothing else may use.
  ///   - maximumSize: The limit of all files together after `clearExpired`; bytes, and zero is no
  ///     limit.
  ///   - repaired: Whether a read that finds an expired object checks it again on the write queue,
  ///     in the block that removes it. No upstream report; version 3.0 no longer removes on reads.
  init(directory: URL, maximumSize: Int = 0, repaired: Bool = false) {
    front = TwoQueueMemoryStorage(repaired: repaired)
    back = TwoQueueDiskStorage(path: directory.path, maximumSize: maximumSize)
  }

  /// Stores a value in memory, and then in a file.
  func add(
    _ value: [UInt8], forKey key: String, expiry: HybridExpiry = .never,
    completion: @escaping @Sendable () -> Void = {}
  ) {
    front.add(value, forKey: key, expiry: expiry) { [weak self] in
      guard let self else { return completion() }
      self.back.add(value, forKey: key, expiry: expiry, completion: completion)
    }
  }

  /// Reads a key, whether or not it has expired. What is found on disk is not put into memory.
  func object(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    front.object(forKey: key) { [weak self] value in
      guard value == nil, let self else { return completion(value) }
      self.back.object(forKey: key, completion: completion)
    }
  }

  /// Removes a key from memory, and then its file.
  func remove(_ key: String, completion: @escaping @Sendable () -> Void = {}) {
    front.remove(key) { [weak self] in
      guard let self else { return completion() }
      self.back.remove(key, completion: completion)
    }
  }

  /// Removes everything from memory, and then from disk.
  func clear(completion: @escaping @Sendable () -> Void = {}) {
    front.clear { [weak self] in
      guard let self else { return completion() }
      self.back.clear(completion: completion)
    }
  }

  /// Removes expired files, and from a directory that is too large those that expire last. The
  /// original does this when the application ends.
  func clearExpired(completion: @escaping @Sendable () -> Void = {}) {
    back.clearExpired(completion: completion)
  }

  /// Waits until all calls made before this one have ended.
  func settle() {
    for _ in 0..<2 {
      front.settle()
      back.settle()
    }
  }

  /// The keys in memory, and those of the files; a file that belongs to none of `known` appears by
  /// its name. For checks after all operations have ended.
  func keys(known: Set<String>) -> (inMemory: Set<String>, onDisk: Set<String>) {
    let keys = Dictionary(
      known.map { (back.fileName(forKey: $0), $0) }, uniquingKeysWith: { first, _ in first })
    return (front.keys, Set(back.fileNames.map { keys[$0] ?? $0 }))
  }
}

// The synchronous forms that the original has since 1.3.0 (SyncHybridCache.swift): a semaphore
// waits for the asynchronous ones.
extension BasicHybridCache: Cache {
  /// The value under a key, whether or not it has expired.
  func value(forKey key: String) -> [UInt8]? {
    waitForCallback { value(forKey: key, completion: $0) }
  }

  /// Stores a value; costs are not kept.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    waitForCallback { done in setValue(value, forKey: key, cost: cost) { done(()) } }
  }

  /// Removes a value.
  func removeValue(forKey key: String) {
    waitForCallback { done in removeValue(forKey: key) { done(()) } }
  }

  /// Removes every value.
  func removeAllValues() {
    waitForCallback { done in clear { done(()) } }
  }

  /// How many values are in memory.
  var count: Int { front.keys.count }

  /// Reads a key.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key, completion: completion)
  }

  /// Stores a value; costs are not kept.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    add(value, forKey: key, completion: completion)
  }

  /// Removes a value.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    remove(key, completion: completion)
  }
}
