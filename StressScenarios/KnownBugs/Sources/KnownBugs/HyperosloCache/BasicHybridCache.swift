import Caches
import Dispatch
import Foundation
import Interlock

/// A cache with a storage in memory before one in files, each with a queue to read on and a queue
/// to write on: BasicHybridCache.swift, MemoryStorage.swift and DiskStorage.swift of hyperoslo's
/// Cache 1.0.0.
///
/// Every call is asynchronous, and calls back on a queue of the storage that ended it. Reads and
/// writes of one storage run concurrently, so the result of a read may be out of date when the call
/// acts on it.
final class BasicHybridCache: Cache {
  private let memory: TwoQueueMemoryStorage
  private let disk: TwoQueueDiskStorage

  /// Puts a cache over a directory.
  ///
  /// Repaired, a read that finds an expired object checks it again on the write queue, in the block
  /// that removes it. No upstream report; version 3.0 no longer removes on reads.
  init(directory: URL, repaired: Bool = false) {
    memory = TwoQueueMemoryStorage(repaired: repaired)
    disk = TwoQueueDiskStorage(CacheFolder(path: directory.path))
  }

  /// Stores a value in memory, and then in a file.
  func add(
    _ value: [UInt8], forKey key: String, expiry: Date = .hybridNever,
    completion: @escaping @Sendable () -> Void
  ) {
    memory.add(value, forKey: key, expiry: expiry) { [weak self] in
      guard let self else { return completion() }
      disk.add(value, forKey: key, completion: completion)
    }
  }

  /// Waits until all calls made before this one have ended.
  func settle() {
    for _ in 0..<2 {
      memory.queues.settle()
      disk.queues.settle()
    }
  }

  /// The keys in memory, and those of the files, for checks after all operations have ended.
  var keys: (inMemory: Set<String>, onDisk: Set<String>) {
    (Set(memory.store.value.keys), Set(disk.folder.keys()))
  }

  // MARK: The native calls

  /// Reads a key, whether or not it has expired. A value found on disk is not put into memory.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    memory.value(forKey: key) { [weak self] value in
      guard value == nil, let self else { return completion(value) }
      disk.value(forKey: key, completion: completion)
    }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    add(value, forKey: key, completion: completion)
  }

  /// Removes a key from memory, and then its file.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    memory.remove(key) { [weak self] in
      guard let self else { return completion() }
      disk.remove(key, completion: completion)
    }
  }

  // MARK: The synchronous forms, since 1.3.0 (SyncHybridCache.swift): they wait on a semaphore

  func value(forKey key: String) -> [UInt8]? {
    waitForCallback { value(forKey: key, completion: $0) }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    waitForCallback { done in setValue(value, forKey: key, cost: cost) { done(()) } }
  }

  func removeValue(forKey key: String) {
    waitForCallback { done in removeValue(forKey: key) { done(()) } }
  }

  func removeAllValues() {
    waitForCallback { done in
      memory.clear { [disk] in disk.clear { done(()) } }
    }
  }

  var count: Int { memory.store.value.count }
}

/// A serial queue to read on and another to write on.
private struct TwoQueues: Sendable {
  let read: DispatchQueue
  let write: DispatchQueue

  init(_ name: String) {
    read = DispatchQueue(label: "no.hyper.Cache.\(name).ReadQueue")
    write = DispatchQueue(label: "no.hyper.Cache.\(name).WriteQueue")
  }

  func settle() {
    read.sync {}
    write.sync {}
  }
}

/// The storage in memory: a thread-safe dictionary, as the original's `NSCache`.
private final class TwoQueueMemoryStorage: Sendable {
  let queues = TwoQueues("Memory")
  let store = Box<[String: (value: [UInt8], expiry: Date)]>([:])
  private let repaired: Bool

  init(repaired: Bool) { self.repaired = repaired }

  func add(
    _ value: [UInt8], forKey key: String, expiry: Date, completion: @escaping @Sendable () -> Void
  ) {
    queues.write.async {
      self.store.change { $0[key] = (value, expiry) }
      completion()
    }
  }

  /// Calls back with the value, and then has it removed if it has expired.
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    queues.read.async { [self] in
      let found = store.value[key]
      completion(found?.value)
      guard let found, found.expiry.hasPassed else { return }
      SYNC_POINT("basichybridcache.object.foundExpired")
      // As shipped, this removes any value that is there when the write queue runs the removal.
      queues.write.async { [self] in
        if repaired, store.value[key]?.expiry.hasPassed != true { return }
        store.change { $0[key] = nil }
      }
    }
  }

  func remove(_ key: String, completion: @escaping @Sendable () -> Void) {
    queues.write.async {
      self.store.change { $0[key] = nil }
      completion()
    }
  }

  func clear(completion: @escaping @Sendable () -> Void) {
    queues.write.async {
      self.store.value = [:]
      completion()
    }
  }
}

/// The storage in files. It reports no errors: a file that could not be written is missing.
private final class TwoQueueDiskStorage: Sendable {
  let queues = TwoQueues("Disk")
  let folder: CacheFolder

  init(_ folder: CacheFolder) { self.folder = folder }

  func add(_ value: [UInt8], forKey key: String, completion: @escaping @Sendable () -> Void) {
    queues.write.async { [folder] in
      folder.create()
      let data = Data(Archive.bytes(of: value))
      _ = FileManager.default.createFile(atPath: folder.path(forKey: key), contents: data)
      completion()
    }
  }

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    queues.read.async { [folder] in
      completion(folder.read(folder.path(forKey: key)).flatMap(Archive.value(in:)))
    }
  }

  func remove(_ key: String, completion: @escaping @Sendable () -> Void) {
    queues.write.async { [folder] in
      _ = folder.remove(folder.path(forKey: key))
      completion()
    }
  }

  func clear(completion: @escaping @Sendable () -> Void) {
    queues.write.async { [folder] in
      _ = folder.remove(folder.path)
      completion()
    }
  }
}
