import Caches
import Dispatch
import Foundation
import Interlock
import Synchronization

/// The disk cache of YYCache 1.0.4: a storage under a semaphore of 1, and a concurrent queue for
/// the asynchronous forms.
///
/// The model follows YYDiskCache.m. As shipped, the blocks of
/// `removeAllObjectsWithProgressBlock:endBlock:` are called under the lock; an asynchronous call
/// has a weak reference to the cache, so that it stores nothing once the cache is freed, and still
/// reports success; and a folder can have two caches at once (`open(_:)`).
///
/// Values are archived and unarchived outside the lock. Errors of the disk and the database lose
/// the value, and only `lastError` and the log report them, because the original's methods report
/// none.
final class YYDiskCache: Cache {
  /// The default of `Options.inlineThreshold`: 20 KiB.
  static let defaultInlineThreshold = 20 * 1024

  struct Options: Sendable {
    /// A value whose archive is longer than this is kept in a file: 0 for all values, `Int.max` for
    /// none.
    var inlineThreshold = YYDiskCache.defaultInlineThreshold
    /// Called before a value is archived, without the lock.
    var willArchive: @Sendable () -> Void = {}
    /// Called under the lock with the database's errors; the original writes them to the log.
    var log: @Sendable (_ error: String) -> Void = { _ in }
    var repairs: YYDiskRepairs = []
  }

  let options: Options
  private let countLimitStored = Atomic(Int.max)
  let semaphore = DispatchSemaphore(value: 1)
  let queue = DispatchQueue(label: "yydisk.asynchronous-forms", attributes: .concurrent)
  // Safe: only touched under the semaphore, which the storage's sections check.
  nonisolated(unsafe) let storage: YYKVStorage

  /// Opens a new, unshared cache; `open(_:)` returns the folder's shared one.
  init(_ path: String, _ options: Options = .init()) throws(YYStorageError) {
    self.options = options
    storage = try YYKVStorage(
      path, lockMilliseconds: options.repairs.contains(.waitsForDatabase) ? 2000 : 0,
      log: options.log)
  }

  deinit {
    SYNC_POINT("yydiskcache.deinit.begins")
  }

  // MARK: Instances

  /// `_YYDiskCacheGetGlobal` and `_YYDiskCacheSetGlobal`.
  private static let instances = WeakInstances<YYDiskCache>()

  /// The open cache of a folder, or a new one.
  ///
  /// As `initWithPath:inlineThreshold:` of version 1.0.4: look-up, creation and entry are three
  /// steps, each with a lock of its own at most, and the path is taken as written. So two threads,
  /// or two spellings of a path, get two caches, each with its own connection to one database.
  /// Repaired, it is one step, by the resolved path.
  static func open(_ path: String, _ options: Options = .init()) throws(YYStorageError)
    -> YYDiskCache
  {
    if options.repairs.contains(.sharesOneInstance) {
      let path = resolved(path)
      SYNC_POINT("yydiskcache.open.notFound")
      return try instances.instance(for: path) { () throws(YYStorageError) in
        try YYDiskCache(path, options)
      }
    }
    if let cache = instances[path] { return cache }
    SYNC_POINT("yydiskcache.open.notFound")
    let cache = try YYDiskCache(path, options)
    instances[path] = cache
    return cache
  }

  static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  // MARK: The synchronous forms

  /// Runs `body` with exclusive access to the storage.
  func withStorage<R>(_ body: (YYKVStorage) -> R) -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return body(storage)
  }

  /// The number of entries to which a trim cuts down.
  var countLimit: Int {
    get { countLimitStored.load(ordering: .relaxed) }
    set { countLimitStored.store(newValue, ordering: .relaxed) }
  }

  /// Trims to the limit, as the original does periodically.
  func trimToLimits() {
    withStorage { storage in
      // The original's limits are 32 bits wide; a value above that range means no limit.
      if countLimit < Int32.max { storage.removeItems(toFitCount: countLimit) }
    }
  }

  /// Whether errors of the database are logged. Takes the lock.
  var logsErrors: Bool {
    get { withStorage { $0.logsErrors } }
    set { withStorage { $0.logsErrors = newValue } }
  }

  func value(forKey key: String) -> [UInt8]? {
    withStorage { $0.item(forKey: key) }?.value.flatMap(Archive.value(in:))
  }

  /// Stores a value; returns whether it was stored, while the original returns nothing.
  @discardableResult
  func store(_ value: [UInt8], forKey key: String) -> Bool {
    options.willArchive()
    let archive = Archive.bytes(of: value)
    let isInFile = archive.count > options.inlineThreshold
    let fileName = isInFile ? KeyDigest.hexadecimal(key) : nil
    return withStorage { $0.save(key: key, value: archive, fileName: fileName) }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) { store(value, forKey: key) }

  func removeValue(forKey key: String) {
    withStorage { _ = $0.remove(key: key) }
  }

  /// Removes everything by making a new database.
  func removeAllValues() {
    withStorage { $0.removeAll() }
  }

  /// How many entries there are; -1 if the database fails.
  var count: Int { withStorage { $0.count } }

  /// The archived size of all entries together, in bytes; -1 if the database fails.
  var totalSize: Int { withStorage { $0.size } }

  /// The database's last error, as "database is locked"; `nil` if it never failed.
  var lastError: String? { withStorage { $0.lastError } }

  /// The stored values, each at the size of its archive.
  func entries() -> [String: CacheEntry]? {
    let items = withStorage { $0.allItems() }
    return Dictionary(
      items.compactMap { item in
        item.value.flatMap(Archive.value(in:)).map {
          (item.key, CacheEntry(value: $0, cost: item.size))
        }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The names of the values' files, according to the database and to the folder.
  var fileNames: (inDatabase: Set<String>, inFolder: Set<String>) {
    withStorage { storage in
      (Set(storage.allItems().compactMap(\.fileName)), storage.fileNames)
    }
  }

  // MARK: The forms with a block, on the queue

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    onQueue { completion($0?.value(forKey: key)) }
  }

  /// As shipped, completes also if the cache was freed and nothing stored.
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    onQueue {
      $0?.store(value, forKey: key)
      completion()
    }
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    onQueue {
      $0?.removeValue(forKey: key)
      completion()
    }
  }

  /// Removes everything in batches, and reports its progress.
  ///
  /// As shipped, both blocks are called under the lock: a block that calls the cache deadlocks.
  /// Repaired, the lock is released for each call of a block, and other calls may run between them.
  func removeAllValues(
    progress: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void
  ) {
    onQueue { cache in
      guard let cache else { return end() }
      if cache.options.repairs.contains(.callsBackUnlocked) {
        Self.removeInBatches(in: cache.withStorage, progress: progress, end: end)
      } else {
        cache.withStorage { storage in
          Self.removeInBatches(in: { $0(storage) }, progress: progress, end: end)
        }
      }
    }
  }

  /// `removeAllItemsWithProgressBlock:endBlock:`; `inStorage` runs its block under the lock.
  private static func removeInBatches(
    in inStorage: ((YYKVStorage) -> Int?) -> Int?, progress: () -> Void, end: () -> Void
  ) {
    while let count = inStorage({ $0.removeBatch() }), count > 0 { progress() }
    end()
  }

  /// Runs `body` on the queue with the cache; as shipped with `nil` if the cache was freed.
  private func onQueue(_ body: @escaping @Sendable (YYDiskCache?) -> Void) {
    if options.repairs.contains(.keepsCacheAlive) {
      queue.async { [self] in
        SYNC_POINT("yydiskcache.block.begins")
        body(self)
      }
    } else {
      queue.async { [weak self] in
        SYNC_POINT("yydiskcache.block.begins")
        body(self)
      }
    }
  }
}
