// After PINDiskCache.m of PINCache 2.0: -initWithName:rootPath:, -lock, -unlock,
// -createCacheDirectory, -initializeDiskProperties, -objectForKey:fileURL:, -fileURLForKey:,
// -setObject:forKey:fileURL:.

import Dispatch
import Foundation
import Interlock
import Synchronization

/// PINCache 2.0's disk cache: files under a semaphore of 1, held during each whole method.
///
/// Each method holds the semaphore from beginning to end: during file access, archiving, the change
/// blocks, and even the completions of the asynchronous methods. So a completion or a block that
/// calls a synchronous method of the cache deadlocks (pull request 97). Two caches of one name are
/// two semaphores over one directory, each with its own sums.
///
/// `@unchecked Sendable`: all mutable state is under `guardian`; its sections check that.
package final class PINDiskCache2: @unchecked Sendable {
  /// Called with one key.
  package typealias ObjectBlock = PINDiskEvents<PINDiskCache2>.ObjectBlock
  /// Called for the whole cache.
  package typealias CacheBlock = PINDiskEvents<PINDiskCache2>.CacheBlock

  /// The cache's name.
  package let name: String
  let changes: PINChanges
  let options: PINDiskOptions
  let folder: PINFolder
  /// Where removed files go.
  package let trash: PINTrash
  let section = Section("pin.disk")
  private let guardian = DispatchSemaphore(value: 1)
  /// Held over each change and its blocks; taken before `guardian`. `nil` without the repair.
  let turn: PINTurn?

  /// When each key was used last; its keys are the keys on record.
  var dates: [String: Date] = [:]
  var sizes: [String: UInt] = [:]
  var events = PINDiskEvents<PINDiskCache2>()
  var byteLimitNow: UInt = 0
  var ageLimitNow: TimeInterval = 0
  /// An atomic property in the original: read without the lock, changed under it.
  private let byteCountNow = Atomic<UInt>(0)

  /// A cache over the directory of this name, which it scans in the background.
  package init(name: String, root: String, options: PINDiskOptions = PINDiskOptions()) {
    self.name = name
    self.options = options
    changes = options.changes ?? .version2
    folder = PINFolder(root: root, name: name, report: options.report)
    trash = options.trash ?? PINTrash(root: root, style: .kept)
    turn = changes.contains(.changesInTurn) ? options.turn ?? PINTurn() : nil
    let scheduler = options.scheduler
    let start = options.start ?? { work in scheduler.schedule(.normal, work) }
    // Repair (2.1): acquire here and release in the block, which a semaphore allows and a mutex
    // does not. As shipped a call may run before the block: then there is no directory, and what
    // the call stores is lost.
    let isHeld = changes.contains(.heldUntilScanned)
    if isHeld { lock() }
    start { [self] in
      if !isHeld { lock() }
      _ = folder.create()
      initializeDiskProperties()
      unlock()
    }
  }

  func lock() {
    guardian.wait()
  }

  func unlock() {
    guardian.signal()
  }

  /// Acquires the lock for a change. Repair: no other change begins before `unlockAfterChange`,
  /// not even while the lock is free for a block.
  func lockForChange() {
    turn?.lock()
    lock()
  }

  func unlockAfterChange() {
    unlock()
    turn?.unlock()
  }

  /// Under the lock: reads the directory. Overwriting the byte count is right: files stored earlier
  /// are among those counted.
  private func initializeDiskProperties() {
    var byteCount: UInt = 0
    for name in folder.fileNames() {
      guard let key = folder.key(ofFile: name),
        let attributes = folder.attributes(of: folder.path + "/" + name)
      else { continue }
      section.write(synched: true) {
        dates[key] = attributes.modified
        sizes[key] = attributes.size
      }
      byteCount += attributes.size
    }
    if byteCount > 0 { self.byteCount = byteCount }
  }

  /// The cache's sum of its files' sizes, in bytes; wraps around below zero.
  package internal(set) var byteCount: UInt {
    // Relaxed: a reader without the lock accepts any current value.
    get { byteCountNow.load(ordering: .relaxed) }
    set { byteCountNow.store(newValue, ordering: .relaxed) }
  }

  // MARK: Reading

  /// The object under a key. A file that cannot be unarchived is deleted.
  package func object(forKey key: String) -> PINObject? {
    let now = Date()
    guard let file = folder.path(forKey: key) else { return nil }
    lock()
    defer { unlock() }
    guard folder.exists(file) else { return nil }
    var object: PINObject?
    do {
      let archive = try PINArchive.contents(of: folder.read(file) ?? [])
      if archive.key == key { object = try options.deserialize(archive.payload, key) }
    } catch {
      // As in the original, the sums still have it.
      _ = folder.remove(file)
      return nil
    }
    setFileModificationDate(now, of: file, key: key)
    return object
  }

  /// The path of a key's file, if there is one; notes a use.
  package func filePath(forKey key: String) -> String? {
    let now = Date()
    guard let file = folder.path(forKey: key) else { return nil }
    lock()
    defer { unlock() }
    guard folder.exists(file) else { return nil }
    setFileModificationDate(now, of: file, key: key)
    return file
  }

  private func setFileModificationDate(_ date: Date, of file: String, key: String) {
    guard folder.setModificationDate(date, of: file) else { return }
    section.write(synched: true) { dates[key] = date }
  }

  // MARK: Storing

  /// Writes an object's file; returns its path, or `nil` if it could not be written.
  @discardableResult
  package func setObject(_ object: PINObject, forKey key: String) -> String? {
    let now = Date()
    lockForChange()
    defer { unlockAfterChange() }
    let file = folder.path(forKey: key)
    tell(events.willAddObject, key, object, file)
    SYNC_POINT("pindiskcache2.set.afterWillAdd")
    let isWritten = file.map { write(object, key, to: $0, at: now) } ?? false
    if isWritten, byteLimitNow > 0, byteCount > byteLimitNow {
      trimToSizeByDate(byteLimitNow, completion: nil)
    }
    tell(events.didAddObject, key, object, isWritten ? file : nil)
    return isWritten ? file : nil
  }

  private func write(_ object: PINObject, _ key: String, to file: String, at now: Date) -> Bool {
    let payload = options.serialize(object, key)
    guard folder.write(PINArchive(key: key, created: now, payload: payload).bytes, to: file) else {
      return false
    }
    setFileModificationDate(now, of: file, key: key)
    guard let size = folder.attributes(of: file)?.size else { return true }
    section.write(synched: true) {
      // Repair (issues 30 and 36): 2.0 adds the new size to the old one.
      if changes.contains(.replacedBytesSubtracted) { byteCount &-= sizes[key] ?? 0 }
      sizes[key] = size
      byteCount &+= size
    }
    return true
  }

  // MARK: The blocks

  /// Under the lock: calls a block.
  ///
  /// Repair (pull request 97): without the lock.
  func tell(_ block: ObjectBlock?, _ key: String, _ object: PINObject?, _ path: String?) {
    guard let block else { return }
    if changes.contains(.callbacksUnlocked) {
      unlock()
      block(self, key, object, path)
      lock()
    } else {
      block(self, key, object, path)
    }
  }

  /// Under the lock: calls a block. Repair (pull request 97): without the lock.
  func tell(_ block: CacheBlock?) {
    guard let block else { return }
    if changes.contains(.callbacksUnlocked) {
      unlock()
      block(self)
      lock()
    } else {
      block(self)
    }
  }
}
