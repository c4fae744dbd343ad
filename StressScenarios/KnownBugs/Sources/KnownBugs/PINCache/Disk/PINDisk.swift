import Caches
import Foundation

/// The calls of both versions' disk caches.
protocol PINDisk: PINScheduled {
  var folder: CacheFolder { get }
  var trash: PINTrash { get }
  /// The cache's sum of its files' sizes, in bytes; wraps around below zero.
  var byteCount: UInt { get }
  /// The cache's records: the size of each key's file.
  var knownSizes: [String: UInt] { get }
  /// The age limit in seconds; setting it trims later, and after each such interval; 0 ends that.
  var ageLimit: TimeInterval { get set }

  func lock()
  func unlock()
  /// The path of a key's file, if there is one; notes a use.
  func filePath(forKey key: String) -> String?
  /// Writes an object's file; returns whether it could.
  @discardableResult
  func setObject(_ object: PINObject, forKey key: String) -> Bool
  func removeObject(forKey key: String)
  func removeAllObjects()
  /// Removes the files that are older than a date.
  func trim(to date: Date)
  /// Removes the largest files until the byte count is at most `size`.
  func trimToSize(_ size: UInt)
  /// Removes the least recently used files until the byte count is at most `size`.
  func trimToSizeByDate(_ size: UInt)
  /// Calls `body` with each key.
  func enumerateObjects(_ body: (_ key: String) -> Void)
  /// Runs `body` with exclusive access to the files, and blocks until it ends.
  func synchronouslyLockFileAccess(whileExecuting body: () -> Void)
}

/// How a disk cache is made.
struct PINDiskOptions: Sendable {
  /// The prefix of a disk cache's directory, before the cache's name.
  static let prefix = "com.pinterest.PINDiskCache"

  /// The repairs; by default those that the version was shipped with.
  var changes: PINChanges?
  var scheduler = PINScheduler()
  /// The lock over changes and their blocks, if the repairs have one; by default the cache's own.
  var turn: PINTurn?
  /// Runs the first scan of the directory; by default on the private queue in 2.0 and on a global
  /// one in 3.0.4.
  var start: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
}

extension PINDisk {
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(PINObject(value), forKey: key)
  }

  func removeValue(forKey key: String) { removeObject(forKey: key) }

  func removeAllValues() { removeAllObjects() }

  var count: Int { knownSizes.count }

  /// Notes a use of a key, later.
  func touch(_ key: String) { scheduler.schedule { _ = self.filePath(forKey: key) } }

  /// The files that are in the directory.
  func storedFiles() -> [String: (size: Int, value: [UInt8])] {
    lock()
    defer { unlock() }
    return folder.storedFiles()
  }
}
