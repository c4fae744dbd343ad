import Dispatch
import Interlock
import LockStrategies
import Synchronization

/// The disk cache of YYCache 1.0.4: a storage under a semaphore of 1, and a concurrent queue for
/// the asynchronous forms.
///
/// It follows `objectForKey:`, `setObject:forKey:` and their forms with a block, the trims and
/// `removeAllObjectsWithProgressBlock:endBlock:` of YYDiskCache.m. As shipped, the blocks of that
/// last one are called under the lock; an asynchronous call holds the cache weakly, so that one
/// made on a cache that goes away is not carried out, and says that it was; and a folder can have
/// two caches at once (`open(_:)`).
///
/// A value is kept as an archive of it, made and read outside the lock. A value without bytes is
/// one; an empty key is not stored, as in the original. Errors of the disk and the database lose
/// the value and are only told by `lastError`, since the original's methods tell nobody.
package final class YYDiskCache: Sendable {
  /// What a value longer than this many bytes is kept in a file for, unless something else is said:
  /// 20 KiB.
  package static let defaultInlineThreshold = 20 * 1024

  /// What a disk cache can be made with.
  package struct Options: Sendable {
    /// A value whose archive is longer than this is kept in a file: 0 for all, `Int.max` for none.
    package var inlineThreshold = YYDiskCache.defaultInlineThreshold
    /// How many entries a trim by itself leaves.
    package var countLimit = Int.max
    /// How many bytes.
    package var costLimit = Int.max
    /// Of how many seconds since their last use.
    package var ageLimit = Double.infinity
    /// How many bytes a trim by itself leaves free on the disk; 0 where it does not look.
    package var freeDiskSpaceLimit = 0
    /// The seconds between two trims by itself; none where it is not above 0.
    package var autoTrimInterval = 60.0
    /// The name of a key's file, if it is not to be the digest of the key; nothing may be named
    /// twice, or leave the folder.
    package var fileName: (@Sendable (_ key: String) -> String?)?
    /// What is mended.
    package var repairs: YYDiskRepairs = []

    /// The original's.
    package init() {}
  }

  /// The folder, as its path was given.
  package let path: String
  let options: Options
  let semaphore = DispatchSemaphore(value: 1)
  let queue = DispatchQueue(label: "yydisk.asynchronous-forms", attributes: .concurrent)
  // Unsafe in name: only touched under the semaphore, which the storage's sections check.
  nonisolated(unsafe) let storage: YYKVStorage

  /// Opens a cache that nobody else is given; `open(_:)` gives the one that a folder has.
  ///
  /// - Throws: If there is no SQLite, or the folder or the database cannot be used.
  package convenience init(_ path: String, _ options: Options = .init()) throws(YYStorageError) {
    try self.init(path, options, clock: { SystemTime.seconds })
  }

  /// The same with a clock of one's own, in seconds since 1970.
  package init(
    _ path: String, _ options: Options, clock: @escaping @Sendable () -> Int
  ) throws(YYStorageError) {
    self.path = path
    self.options = options
    let kind: YYStorageKind =
      switch options.inlineThreshold {
      case 0: .files
      case Int.max: .database
      default: .mixed
      }
    storage = try YYKVStorage(
      path, kind, lockMilliseconds: options.repairs.contains(.waitsForDatabase) ? 2000 : 0,
      clock: clock)
    if options.autoTrimInterval > 0 { trimAgain() }
  }

  deinit {
    SYNC_POINT("yydiskcache.deinit.begins")
  }

  /// Runs `body` while nobody else is in the storage.
  func withStorage<R>(_ body: (YYKVStorage) -> R) -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return body(storage)
  }

  /// Whether there is an entry.
  package func containsValue(forKey key: String) -> Bool {
    withStorage { $0.contains(key: key) }
  }

  /// The value under a key, and what was stored with it.
  package func item(forKey key: String) -> (value: [UInt8], extendedData: [UInt8]?)? {
    let item = withStorage { $0.item(forKey: key) }
    guard let item, let value = item.value.flatMap(YYArchive.unarchive) else { return nil }
    return (value, item.extendedData)
  }

  /// Stores a value, and bytes of the caller's own with it; returns whether it was.
  ///
  /// The original returns nothing.
  @discardableResult
  package func setValue(
    _ value: [UInt8], forKey key: String, extendedData: [UInt8]? = nil
  ) -> Bool {
    let archive = YYArchive.archive(value)
    var fileName: String?
    if storage.kind != .database, archive.count > options.inlineThreshold {
      fileName = options.fileName?(key) ?? MD5.hexadecimal(key)
    }
    return withStorage {
      $0.save(key: key, value: archive, fileName: fileName, extendedData: extendedData)
    }
  }

  /// The bytes of all entries on disk together, as they are archived; -1 where the database fails.
  package var totalSize: Int { withStorage { $0.size } }

  /// What the database said when it failed last: "database is locked"; `nil` where it never has.
  package var lastError: String? { withStorage { $0.lastError } }
}
