import Caches
import Dispatch
import Foundation
import Interlock
import LockStrategies
import Synchronization

/// The disk half of TMCache: one serial queue for every instance of the process.
///
/// Follows TMDiskCache.m of TMCache 2.1.0 (commit 4a39e53). As there, everything is an asynchronous
/// block on the shared serial queue: files, archives, the user's block, and the completions too;
/// getters are `sync` on it; and each synchronous form starts the asynchronous one and waits on a
/// semaphore. A synchronous call from any of those blocks, to this cache or to another, deadlocks,
/// and a getter traps. `TMRepairs` describes the repairs. Of the original's blocks and limits the
/// model has one block, and the age limit.
///
/// Its repairs determine how far it is thread-safe. `@unchecked Sendable`: mutable state is only
/// touched in `access`.
final class TMDiskCache: Cache, @unchecked Sendable {
  /// Called with the cache and a key before a file is written; on the shared queue as shipped.
  typealias ObjectBlock = @Sendable (TMDiskCache, String) -> Void

  /// The prefix of a disk cache's directory, before the cache's name.
  static let prefix = "com.tumblr.TMDiskCache"

  /// The original's `+sharedQueue`: the lock of all disk caches in the process. Serial; on Linux
  /// such a queue runs on the overcommitting pool.
  static let sharedQueue = DispatchQueue(label: "tmcache.disk")

  /// Empties every trash of the process, at background priority.
  static let trashQueue = DispatchQueue(
    label: "tmcache.disk.trash", target: .global(qos: .background))

  let repairs: TMRepairs
  let folder: CacheFolder
  /// Where removed files stay until a background queue deletes them: one trash of all caches under
  /// the root. The original's is in the folder for temporary files.
  let trash: String
  let directory: TMDirectory
  let willDecode: @Sendable () -> Void
  let settings: TMSettings<ObjectBlock>

  /// Opens a cache, with the files that are already on the disk; two caches of one name share their
  /// files. `willDecode` stands for an object that is called while it is decoded.
  init(
    name: String, root: String, repairs: TMRepairs = [],
    willDecode: @escaping @Sendable () -> Void = {}
  ) {
    self.repairs = repairs
    self.willDecode = willDecode
    folder = CacheFolder(root: root, prefix: Self.prefix, name: name)
    trash = root + "/" + Self.prefix
    directory =
      repairs.contains(.onePerDirectory)
      ? TMDirectory.shared(folder.path, repairs: repairs) : TMDirectory(repairs: repairs)
    settings = TMSettings("tmcache.disk.settings", repairs)
    // As shipped no call waits for this scan: later calls follow it on the queue. Repaired,
    // `access` does it.
    enqueue { cache in cache.access {} }
  }

  // MARK: Native forms

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let now = Date()
    enqueue { completion($0.readObject(forKey: key, at: now).object) }
  }

  /// Notes an access.
  func touch(_ key: String) {
    let now = Date()
    enqueue { _ = $0.touchedFile(ofKey: key, at: now) }
  }

  func setObject(
    _ object: [UInt8], forKey key: String, completion: @escaping @Sendable () -> Void
  ) {
    let now = Date()
    enqueue { cache in
      cache.write(object, forKey: key, at: now)
      completion()
    }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(value, forKey: key, completion: completion)
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    enqueue { cache in
      cache.remove(key)
      completion()
    }
  }

  /// Removes every object: the whole directory goes to the trash.
  func removeAll(completion: @escaping @Sendable () -> Void) {
    enqueue { cache in
      cache.removeAll()
      completion()
    }
  }

  // MARK: Synchronous forms

  func value(forKey key: String) -> [UInt8]? {
    let now = Date()
    return wait { $0.readObject(forKey: key, at: now).object }
  }

  /// Finds the file of an object; notes the access.
  func file(ofKey key: String) -> String? {
    let now = Date()
    return wait { $0.touchedFile(ofKey: key, at: now) }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int = 0) {
    let now = Date()
    wait { $0.write(value, forKey: key, at: now) }
  }

  func removeValue(forKey key: String) { wait { $0.remove(key) } }

  func removeAllValues() { wait { $0.removeAll() } }

  /// Calls a block with every key, on the shared queue as shipped.
  func enumerateObjects(_ body: @escaping @Sendable (String) -> Void) {
    wait { cache in
      for key in cache.access({ cache.directory.keys }) { body(key) }
    }
  }

  // MARK: Settings: as shipped a getter is a `sync` on the queue, and a setter an `async`

  func setWillAddObject(_ block: ObjectBlock?) {
    change { cache in cache.access { cache.settings.block = block } }
  }

  var ageLimit: Double { ask { settings.ageLimit } }

  /// Limits for how many seconds an unused file is kept.
  func setAgeLimit(_ limit: Double) {
    change { cache in
      cache.access { cache.settings.setAgeLimit(limit) }
      cache.trimToAgeLimitRecursively()
    }
  }

  private func change(_ operation: @escaping @Sendable (TMDiskCache) -> Void) {
    if repairs.contains(.synchronousCore) { return operation(self) }
    enqueue(operation)
  }

  /// How many chains of age timers are running.
  var ageTimers: Int { ask { settings.ageTimers } }

  /// The cache's sum of its files' sizes, in bytes; read without a lock.
  var byteCount: Int { directory.byteCount.load(ordering: .relaxed) }

  var count: Int { ask { directory.keys.count } }

  /// The values in the files, with the files' sizes as costs.
  func entries() -> [String: CacheEntry]? {
    ask { folder.storedFiles() }.mapValues { CacheEntry(value: $0.value, cost: $0.size) }
  }

  /// The keys in each of the structures that must agree, for checks after all calls have ended.
  var indexes: [String: Set<String>] {
    ask { ["files": Set(folder.keys()), "index": Set(directory.keys)] }
  }

  // MARK: The lock

  /// Runs an operation as a block on the shared queue, if the cache still exists then.
  private func enqueue(_ operation: @escaping @Sendable (TMDiskCache) -> Void) {
    if repairs.contains(.answersAlways) {
      Self.sharedQueue.async { operation(self) }
    } else {
      Self.sharedQueue.async { [weak self] in
        if let self { operation(self) }
      }
    }
  }

  /// Runs an operation and waits for it: by a semaphore as shipped; repaired, by running it here.
  private func wait<R: Sendable>(_ operation: @escaping @Sendable (TMDiskCache) -> R) -> R {
    if repairs.contains(.synchronousCore) { return operation(self) }
    return waitForCallback { done in enqueue { done(operation($0)) } }
  }

  /// Accesses files and index within an operation. As shipped the operation already runs on the
  /// shared queue; repaired, this takes the directory's lock.
  func access<R>(_ body: () -> R) -> R {
    repairs.contains(.synchronousCore) ? directory.lock.withLock { loaded(body) } : loaded(body)
  }

  private func loaded<R>(_ body: () -> R) -> R {
    if directory.isFirstAccess() {
      folder.create()
      makeTrash()
      for key in folder.keys() {
        guard let known = folder.attributes(of: folder.path(forKey: key)) else { continue }
        directory.record(key, size: known.size, date: known.modified)
      }
    }
    return body()
  }

  /// Reads from outside an operation: `dispatch_sync` as shipped, which traps on the shared queue.
  private func ask<R>(_ body: () -> R) -> R {
    repairs.contains(.synchronousCore) ? access(body) : Self.sharedQueue.sync { access(body) }
  }
}
