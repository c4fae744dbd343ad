import Caches
import Dispatch
import Foundation
import Interlock

/// A cache in memory and in files whose clean-up reads its own keys: the sibling of hyperoslo's
/// Cache with the same fault, three times.
///
/// A model of Cache.swift of AwesomeCache (`objectForKey:`, `setObject:forKey:expires:`,
/// `removeObjectForKey:`, `removeAllObjects`, `removeExpiredObjects`). A call reads memory on its
/// own thread, and files on a queue. Clean-up is a block on that queue that reads every key by the
/// public call; if a key is not in memory, that call waits for the queue.
final class AwesomeCache: Sendable {
  /// How calls and the clean-up use the queue.
  enum Version: Sendable, Hashable, CaseIterable {
    /// Version 1.0: a serial queue (issue 10).
    case serialQueue
    /// Pull request 66, for 2.2: a concurrent queue, and barriers that write.
    case barrierQueue
    /// Pull request 67 and version 3.0: as `barrierQueue`, but code on the queue reads directly.
    case repaired
  }

  private struct Capsule {
    var value: [UInt8]
    var expiry: Date

    var isExpired: Bool { expiry.timeIntervalSinceNow < 0 }
  }

  private let directory: URL
  private let version: Version
  private let memory = EvictingStore<Capsule>()
  private let queue: DispatchQueue

  /// Puts a cache over a directory, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - directory: The directory, which nothing else may use.
  ///   - version: How the queue is used.
  /// - Throws: Foundation's error, if the directory cannot be made.
  init(directory: URL, version: Version) throws {
    self.directory = directory
    self.version = version
    queue = DispatchQueue(
      label: "com.aschuch.cache.diskQueue",
      attributes: version == .serialQueue ? [] : .concurrent)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// The value under a key; one that has expired is removed.
  func object(forKey key: String) -> [UInt8]? { object(forKey: key, isOnQueue: false) }

  private func object(forKey key: String, isOnQueue: Bool) -> [UInt8]? {
    var capsule = memory.value(forKey: key)
    if capsule == nil {
      capsule = isOnQueue ? read(key) : queue.sync { read(key) }
    }
    guard let capsule else { return nil }
    if capsule.isExpired {
      removeObject(forKey: key)
      return nil
    }
    return capsule.value
  }

  /// Stores a value in memory, and in a file later.
  func setObject(
    _ value: [UInt8], forKey key: String, expiry: HybridExpiry = .never,
    completion: @escaping @Sendable () -> Void = {}
  ) {
    let capsule = Capsule(value: value, expiry: expiry.date)
    memory.setValue(capsule, forKey: key)
    queue.async(flags: .barrier) {
      self.write(capsule, key)
      completion()
    }
  }

  /// Removes a value from memory, and its file later.
  func removeObject(forKey key: String, completion: @escaping @Sendable () -> Void = {}) {
    memory.removeValue(forKey: key)
    queue.async(flags: .barrier) {
      try? FileManager.default.removeItem(at: self.url(forKey: key))
      completion()
    }
  }

  /// Removes every value from memory, and the files later.
  func removeAllObjects(completion: @escaping @Sendable () -> Void = {}) {
    memory.removeAll()
    queue.async(flags: .barrier) {
      for url in self.files { try? FileManager.default.removeItem(at: url) }
      completion()
    }
  }

  /// Removes expired objects later, on the queue: it reads every key, and a read removes them.
  func removeExpiredObjects(completion: @escaping @Sendable () -> Void = {}) {
    queue.async(flags: .barrier) {
      for key in self.keysOnDisk {
        SYNC_POINT("awesomecache.removeExpiredObjects.beforeRead")
        _ = self.object(forKey: key, isOnQueue: self.version == .repaired)
      }
      completion()
    }
  }

  /// Empties memory, as the system does when it has little left.
  func removeAllInMemory() { memory.removeAll() }

  /// Waits until all calls made before this one have ended.
  func settle() { for _ in 0..<2 { queue.sync(flags: .barrier) {} } }

  private func read(_ key: String) -> Capsule? {
    guard let data = try? Data(contentsOf: url(forKey: key)),
      let bytes = try? HybridTransformer.checked.object(Array(data)), bytes.count >= 8
    else { return nil }
    let seconds = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Capsule(
      value: Array(bytes.dropFirst(8)),
      expiry: Date(timeIntervalSinceReferenceDate: Double(bitPattern: seconds)))
  }

  private func write(_ capsule: Capsule, _ key: String) {
    let seconds = capsule.expiry.timeIntervalSinceReferenceDate.bitPattern.littleEndian
    let bytes = withUnsafeBytes(of: seconds) { Array($0) } + capsule.value
    try? Data(HybridTransformer.checked.bytes(bytes)).write(to: url(forKey: key), options: .atomic)
  }

  private var files: [URL] {
    (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil))
      ?? []
  }

  private var keysOnDisk: [String] {
    files.compactMap { $0.deletingPathExtension().lastPathComponent.removingPercentEncoding }
  }

  /// The original replaces every character that is no letter or digit by a hyphen, so that two keys
  /// may share a file. Here the name is percent-encoded, or a digest if it would be too long.
  private func url(forKey key: String) -> URL {
    let name = key.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? key
    return directory.appendingPathComponent(
      (name.utf8.count > 200 ? KeyDigest.hexadecimal(key) : name) + ".cache", isDirectory: false)
  }
}

extension AwesomeCache: Cache {
  /// The value under a key.
  func value(forKey key: String) -> [UInt8]? { object(forKey: key) }

  /// Stores a value; costs are not kept.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(value, forKey: key)
  }

  /// Removes a value.
  func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes every value.
  func removeAllValues() { removeAllObjects() }

  /// How many files there are.
  var count: Int { queue.sync { files.count } }

  /// Stores a value, and calls back when it is in its file.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key, completion: completion)
  }

  /// Removes a value, and calls back when its file has been removed.
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key, completion: completion)
  }
}
