import Caches
internal import Dispatch
package import Foundation
import Interlock
internal import LockStrategies

/// The disk half of TMCache: one serial queue for every instance of the process.
///
/// Follows TMDiskCache.m of TMCache 2.1.0 (commit 4a39e53): `initWithName:rootPath:`,
/// `+sharedQueue`, `objectForKey:block:`, `fileURLForKey:block:`, `setObject:forKey:block:`,
/// `removeObjectForKey:block:` and the synchronous forms. As there, everything is an asynchronous
/// block on the shared serial queue: files, archives, will and did blocks, and the completions too;
/// getters are `sync` on it; and each synchronous form starts the asynchronous one and waits on a
/// semaphore. A synchronous call from any of those blocks, to this cache or to another, deadlocks,
/// and a getter traps. `TMRepairs` describes the repairs.
///
/// Sizes are the lengths of the files; the original takes their allocated size. Its repairs
/// determine how far it is thread-safe. `@unchecked Sendable`: mutable state is only touched in
/// `access`.
package final class TMDiskCache: @unchecked Sendable {
  /// Called with a key, its object if the caller has it, and its file.
  package typealias ObjectBlock = @Sendable (TMDiskCache, String, [UInt8]?, URL?) -> Void
  /// Called with the cache.
  package typealias CacheBlock = @Sendable (TMDiskCache) -> Void

  /// The original's `+sharedQueue`: the lock of all disk caches in the process. Serial; on Linux
  /// such a queue runs on the overcommitting pool.
  package static let sharedQueue = DispatchQueue(label: "tmcache.disk")

  /// The bugs that are repaired in this cache.
  package let repairs: TMRepairs
  let files: TMDiskFiles
  let archiver: TMArchiver
  let directory: TMDirectory
  private let onError: @Sendable (any Error) -> Void
  private let settingsSection = Section("tmcache.disk.settings")
  private var settingsNow = TMDiskSettings()

  /// Opens a cache, with the files that are already on the disk.
  ///
  /// - Parameters:
  ///   - name: The cache's name; two caches of one name share their files.
  ///   - root: The directory that contains the cache's own; no file outside it is touched.
  ///   - archiver: Encodes and decodes objects.
  ///   - repairs: The bugs that are repaired.
  ///   - onError: Called with errors of reads, writes and removals, which the original logs.
  package init(
    name: String, root: URL, archiver: TMArchiver = TMArchiver(), repairs: TMRepairs = [],
    onError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.repairs = repairs
    self.archiver = archiver
    self.onError = onError
    files = TMDiskFiles(root: root, name: name, repairs: repairs)
    let path = files.directory.standardizedFileURL.path
    directory =
      repairs.contains(.onePerDirectory)
      ? TMDirectory.shared(path, repairs: repairs) : TMDirectory(repairs: repairs)
    // As shipped no call waits for this scan: later calls follow it on the queue. Repaired,
    // `access` does it.
    enqueue { cache in cache.access {} }
  }

  // MARK: Native forms

  /// Finds an object and calls back with it, on the shared queue as shipped.
  package func object(forKey key: String?, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    let now = Date()
    guard let key else { return answerAnyway { completion(nil) } }
    enqueue { completion($0.readObject(forKey: key, at: now).object) }
  }

  /// Finds the file of an object and calls back with it; notes the access.
  package func fileURL(forKey key: String?, completion: @escaping @Sendable (URL?) -> Void) {
    let now = Date()
    guard let key else { return answerAnyway { completion(nil) } }
    enqueue { completion($0.touchedURL(forKey: key, at: now)) }
  }

  /// Stores an object, and calls back with its file: `nil` if it could not be written.
  package func setObject(
    _ object: [UInt8], forKey key: String?, completion: (@Sendable (URL?) -> Void)? = nil
  ) {
    let now = Date()
    guard let key else { return answerAnyway { completion?(nil) } }
    enqueue { cache in
      let url = cache.write(object, forKey: key, at: now)
      completion?(url)
    }
  }

  /// Removes an object.
  package func removeObject(forKey key: String?, completion: (@Sendable () -> Void)? = nil) {
    guard let key else { return answerAnyway { completion?() } }
    enqueue { cache in
      cache.removeAndTell(key)
      completion?()
    }
  }

  /// Removes every object: the whole directory goes to the trash.
  package func removeAllObjects(completion: (@Sendable () -> Void)? = nil) {
    enqueue { cache in
      cache.removeAllAndTell()
      completion?()
    }
  }

  /// Calls a block with every key and file, the least recently used first; on the shared queue as
  /// shipped.
  package func enumerateObjects(
    _ body: @escaping @Sendable (String, URL) -> Void, completion: (@Sendable () -> Void)? = nil
  ) {
    enqueue { cache in
      cache.enumerate(body)
      completion?()
    }
  }

  // MARK: Synchronous forms

  /// Finds an object.
  package func object(forKey key: String) -> [UInt8]? {
    let now = Date()
    return wait { $0.readObject(forKey: key, at: now).object }
  }

  /// Finds the file of an object; notes the access.
  package func fileURL(forKey key: String) -> URL? {
    let now = Date()
    return wait { $0.touchedURL(forKey: key, at: now) }
  }

  /// Stores an object; returns its file, or `nil` if it could not be written.
  @discardableResult
  package func setObject(_ object: [UInt8], forKey key: String) -> URL? {
    let now = Date()
    return wait { $0.write(object, forKey: key, at: now) }
  }

  /// Removes an object.
  package func removeObject(forKey key: String) { wait { $0.removeAndTell(key) } }

  /// Removes every object.
  package func removeAllObjects() { wait { $0.removeAllAndTell() } }

  /// Calls a block with every key and file, the least recently used first; on the shared queue as
  /// shipped.
  package func enumerateObjects(_ body: @escaping @Sendable (String, URL) -> Void) {
    wait { $0.enumerate(body) }
  }

  // MARK: The lock

  /// Runs an operation as a block on the shared queue, if the cache still exists then.
  func enqueue(_ operation: @escaping @Sendable (TMDiskCache) -> Void) {
    if repairs.contains(.answersAlways) {
      Self.sharedQueue.async { operation(self) }
    } else {
      Self.sharedQueue.async { [weak self] in
        if let self { operation(self) }
      }
    }
  }

  /// Runs an operation and waits for it: by a semaphore as shipped; repaired, by running it here.
  func wait<R: Sendable>(_ operation: @escaping @Sendable (TMDiskCache) -> R) -> R {
    if repairs.contains(.synchronousCore) { return operation(self) }
    return waitForCallback { done in enqueue { done(operation($0)) } }
  }

  /// Accesses files and index within an operation. As shipped the operation already runs on the
  /// shared queue; repaired, this takes the directory's lock.
  func access<R>(_ body: () -> R) -> R {
    repairs.contains(.synchronousCore) ? directory.lock.withLock { loaded(body) } : loaded(body)
  }

  private func loaded<R>(_ body: () -> R) -> R {
    report { try directory.loadOnce(from: files) }
    return body()
  }

  /// Reads from outside an operation: `dispatch_sync` as shipped, which traps on the shared queue.
  func ask<R>(_ body: () -> R) -> R {
    repairs.contains(.synchronousCore) ? access(body) : Self.sharedQueue.sync { access(body) }
  }

  /// Runs `body` and reports its error; returns whether it succeeded.
  @discardableResult
  func report(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      onError(error)
      return false
    }
  }

  /// The limits and blocks; call only within `access` or `ask`.
  var settings: TMDiskSettings {
    _read {
      settingsSection.begin(.noWrite, synched: true)
      defer { settingsSection.end(.noWrite) }
      yield settingsNow
    }
    _modify {
      settingsSection.begin(.noReadWrite, synched: true)
      defer { settingsSection.end(.noReadWrite) }
      yield &settingsNow
    }
  }

  private func answerAnyway(_ completion: @escaping @Sendable () -> Void) {
    if repairs.contains(.answersAlways) { Self.sharedQueue.async { completion() } }
  }
}
