import Caches
import Dispatch
import Foundation
import Interlock

/// A cache in memory and in files whose clean-up reads its own keys: the sibling of hyperoslo's
/// Cache with the same fault, three times.
///
/// A model of Cache.swift of AwesomeCache, without its dates of expiry. A call reads memory on its
/// own thread, and files on a queue. Clean-up is a block on that queue that reads every key by the
/// public call, which removes what has expired; if a key is not in memory, that call waits for the
/// queue.
final class AwesomeCache: Cache {
  /// How calls and the clean-up use the queue.
  enum Version: Sendable, Hashable, CaseIterable {
    /// Version 1.0: a serial queue (issue 10).
    case serialQueue
    /// Pull request 66, for 2.2: a concurrent queue, and barriers that write.
    case barrierQueue
    /// Pull request 67 and version 3.0: as `barrierQueue`, but code on the queue reads directly.
    case repaired
  }

  private let folder: CacheFolder
  private let version: Version
  /// Thread-safe, as the original's `NSCache`.
  private let memory = Box<[String: [UInt8]]>([:])
  private let queue: DispatchQueue

  /// Puts a cache over a directory, and creates it if it is missing.
  init(directory: URL, version: Version) {
    folder = CacheFolder(path: directory.path)
    self.version = version
    queue = DispatchQueue(
      label: "com.aschuch.cache.diskQueue",
      attributes: version == .serialQueue ? [] : .concurrent)
    folder.create()
  }

  /// Cleans up later, on the queue.
  func removeExpiredObjects(completion: @escaping @Sendable () -> Void) {
    queue.async(flags: .barrier) { [self] in
      for key in folder.keys() { _ = value(forKey: key, isOnQueue: version == .repaired) }
      completion()
    }
  }

  /// Empties memory, as the system does when it has little left.
  func removeAllInMemory() { memory.value = [:] }

  /// Waits until all calls made before this one have ended.
  func settle() { for _ in 0..<2 { queue.sync(flags: .barrier) {} } }

  private func value(forKey key: String, isOnQueue: Bool) -> [UInt8]? {
    if let value = memory.value[key] { return value }
    return isOnQueue ? read(key) : queue.sync { read(key) }
  }

  private func read(_ key: String) -> [UInt8]? {
    folder.read(folder.path(forKey: key)).flatMap(Archive.value(in:))
  }

  // MARK: The calls of every cache

  func value(forKey key: String) -> [UInt8]? { value(forKey: key, isOnQueue: false) }

  /// Stores a value in memory, and in a file later.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setValue(value, forKey: key, cost: cost) {}
  }

  /// Removes a value from memory, and its file later.
  func removeValue(forKey key: String) { removeValue(forKey: key) {} }

  func removeAllValues() {
    memory.value = [:]
    queue.async(flags: .barrier) { [folder] in
      for key in folder.keys() { _ = folder.remove(folder.path(forKey: key)) }
    }
  }

  var count: Int { queue.sync { folder.keys().count } }

  /// Calls back when the value is in its file.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    memory.change { $0[key] = value }
    queue.async(flags: .barrier) { [folder] in
      _ = folder.write(Archive.bytes(of: value), to: folder.path(forKey: key))
      completion()
    }
  }

  /// Calls back when the file has been removed.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    memory.change { $0[key] = nil }
    queue.async(flags: .barrier) { [folder] in
      _ = folder.remove(folder.path(forKey: key))
      completion()
    }
  }
}
