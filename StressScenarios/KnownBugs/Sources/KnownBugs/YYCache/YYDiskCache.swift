import Dispatch
import Interlock
import LockStrategies
import Synchronization

/// The disk cache of YYCache 1.0.4: a storage under a semaphore of 1, and a concurrent queue for
/// the asynchronous forms.
///
/// It follows `objectForKey:`, `setObject:forKey:` and their forms with a block, the trims and
/// `removeAllObjectsWithProgressBlock:endBlock:` of YYDiskCache.m. As shipped, the blocks of the
/// last one are called under the lock; an asynchronous call has a weak reference to the cache, so
/// that it stores nothing once the cache is freed, and still reports success; and a folder can have
/// two caches at once (`open(_:)`).
///
/// Values are archived and unarchived outside the lock. A value without bytes is stored; an empty
/// key is not, as in the original. Errors of the disk and the database lose the value, and only
/// `lastError` reports them, because the original's methods report none.
final class YYDiskCache: Sendable {
  /// The default of `Options.inlineThreshold`: 20 KiB.
  static let defaultInlineThreshold = 20 * 1024

  /// The limits to which an automatic trim cuts down.
  struct Limits: Sendable {
    /// How many entries an automatic trim leaves.
    var count = Int.max
    /// How many bytes an automatic trim leaves.
    var cost = Int.max
    /// An automatic trim removes entries unused for this number of seconds.
    var age = Double.infinity
    /// How many bytes an automatic trim leaves free on the disk; 0 for no check.
    var freeDiskSpace = 0

    /// No limits.
    init() {}
  }

  /// The options of a disk cache.
  struct Options: Sendable {
    /// A value whose archive is longer than this is kept in a file: 0 for all values, `Int.max` for
    /// none.
    var inlineThreshold = YYDiskCache.defaultInlineThreshold
    /// The limits until they are changed.
    var limits = Limits()
    /// The seconds between two automatic trims; 0 or less for none.
    var autoTrimInterval = 60.0
    /// The name of a key's file; by default the key's digest. Names must differ, and not lead out
    /// of the folder.
    var fileName: (@Sendable (_ key: String) -> String?)?
    /// Encodes a value; `nil` stores nothing. Called without the lock.
    var archive: @Sendable (_ value: [UInt8]) -> [UInt8]? = YYArchive.archive
    /// Decodes a value; `nil` if the bytes encode none. Called without the lock.
    var unarchive: @Sendable (_ bytes: [UInt8]) -> [UInt8]? = YYArchive.unarchive
    /// Called under the lock with the database's errors; the original writes them to the log.
    var log: @Sendable (_ error: String) -> Void = { _ in }
    /// The repairs.
    var repairs: YYDiskRepairs = []

    /// The original's defaults.
    init() {}
  }

  /// The folder, as its path was given.
  let path: String
  let options: Options
  private let limitsNow: Mutex<Limits>
  let semaphore = DispatchSemaphore(value: 1)
  let queue = DispatchQueue(label: "yydisk.asynchronous-forms", attributes: .concurrent)
  // Safe: only touched under the semaphore, which the storage's sections check.
  nonisolated(unsafe) let storage: YYKVStorage

  /// Opens a new, unshared cache; `open(_:)` returns the folder's shared one.
  ///
  /// - Throws: If there is no SQLite, or the folder or the database cannot be used.
  convenience init(_ path: String, _ options: Options = .init()) throws(YYStorageError) {
    try self.init(path, options, clock: { SystemTime.seconds })
  }

  /// Opens a new, unshared cache with another clock, in seconds since 1970.
  init(
    _ path: String, _ options: Options, clock: @escaping @Sendable () -> Int
  ) throws(YYStorageError) {
    self.path = path
    self.options = options
    limitsNow = Mutex(options.limits)
    let kind: YYStorageKind =
      switch options.inlineThreshold {
      case 0: .files
      case Int.max: .database
      default: .mixed
      }
    storage = try YYKVStorage(
      path, kind, lockMilliseconds: options.repairs.contains(.waitsForDatabase) ? 2000 : 0,
      log: options.log, clock: clock)
    if options.autoTrimInterval > 0 { trimAgain() }
  }

  deinit {
    SYNC_POINT("yydiskcache.deinit.begins")
  }

  /// Runs `body` with exclusive access to the storage.
  func withStorage<R>(_ body: (YYKVStorage) -> R) -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return body(storage)
  }

  /// The limits.
  var limits: Limits { limitsNow.withLock { $0 } }

  /// Changes limits; the next automatic trim uses them.
  func updateLimits(_ change: (inout Limits) -> Void) { limitsNow.withLock { change(&$0) } }

  /// Whether errors of the database are logged. Takes the lock.
  var logsErrors: Bool {
    get { withStorage { $0.logsErrors } }
    set { withStorage { $0.logsErrors = newValue } }
  }

  /// Whether there is an entry.
  func containsValue(forKey key: String) -> Bool {
    withStorage { $0.contains(key: key) }
  }

  /// The value under a key, and the extended data stored with it.
  func item(forKey key: String) -> (value: [UInt8], extendedData: [UInt8]?)? {
    let item = withStorage { $0.item(forKey: key) }
    guard let item, let value = item.value.flatMap(options.unarchive) else { return nil }
    return (value, item.extendedData)
  }

  /// Stores a value with optional extended data; returns whether it was stored.
  ///
  /// The original returns nothing.
  @discardableResult
  func setValue(
    _ value: [UInt8], forKey key: String, extendedData: [UInt8]? = nil
  ) -> Bool {
    guard let archive = options.archive(value) else { return false }
    var fileName: String?
    if storage.kind != .database, archive.count > options.inlineThreshold {
      fileName = options.fileName?(key) ?? KeyDigest.hexadecimal(key)
    }
    return withStorage {
      $0.save(key: key, value: archive, fileName: fileName, extendedData: extendedData)
    }
  }

  /// The archived size of all entries together, in bytes; -1 if the database fails.
  var totalSize: Int { withStorage { $0.size } }

  /// The database's last error, as "database is locked"; `nil` if it never failed.
  var lastError: String? { withStorage { $0.lastError } }
}
