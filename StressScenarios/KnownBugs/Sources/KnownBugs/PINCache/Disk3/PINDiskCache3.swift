// After PINDiskCache.m of PINCache 3.0.4: -initWithName:…, -dealloc, -lock, -unlock,
// -lockForWriting, -lockAndWaitForKnownState, -_locked_createCacheDirectory,
// -initializeDiskProperties, -_locked_initializeDiskPropertiesForFile:fileKey:.

import Dispatch
import Foundation
import Interlock
import Synchronization

/// PINCache 3.0.4's disk cache: files under a mutex that is released for every block, and a first
/// scan of the directory in the background.
///
/// A global queue makes the directory and lists it; a write waits on a condition until the
/// directory exists, an enumeration on another until all files are known, and a read on neither.
/// The mutex is free while an object is serialised, while the user's blocks run, and between two
/// files of the first scan. What is removed goes to a trash that another queue empties.
///
/// `@unchecked Sendable`: all mutable state is under `mutex`; its sections check that.
package final class PINDiskCache3: @unchecked Sendable {
  /// A key's file; each field is `nil` if the file system did not provide it.
  struct Metadata {
    var created: Date?
    var modified: Date?
    var size: UInt?
    /// The key's own age limit; 0 if it has none.
    var ageLimit: TimeInterval = 0
    var accessCount = 0
  }

  /// Called with one key. The path is `nil`: blocks no longer get it since pull request 97.
  package typealias ObjectBlock = PINDiskEvents<PINDiskCache3>.ObjectBlock
  /// Called for the whole cache.
  package typealias CacheBlock = PINDiskEvents<PINDiskCache3>.CacheBlock

  /// The cache's name.
  package let name: String
  let changes: PINChanges
  let options: PINDiskOptions
  let folder: PINFolder
  /// Where removed files go.
  package let trash: PINTrash
  let section = Section("pin.disk")
  private let mutex: PINMutex
  /// Held over each change and its blocks; taken before `mutex`. `nil` without the repair.
  let turn: PINTurn?
  private let writable = PINCondition()
  private let stateKnown = PINCondition()
  /// Signalled by each thread that is about to wait, and when no thread will wait any more; used by
  /// `wakeSpuriously` alone.
  private let hasWaiter = DispatchSemaphore(value: 0)

  var metadata: [String: Metadata] = [:]
  let blocks = Section("pin.disk.blocks")
  var events = PINDiskEvents<PINDiskCache3>()
  var isWritable = false
  var isStateKnown = false
  var byteLimitNow: UInt
  var ageLimitNow: TimeInterval
  var ageChain: UInt64 = 0
  /// An atomic property in the original: read without the lock, changed under it.
  private let byteCountNow = Atomic<UInt>(0)

  /// A cache over the directory of this name, which a global queue makes and scans.
  package init(name: String, root: String, options: PINDiskOptions = PINDiskOptions()) {
    self.name = name
    self.options = options
    changes = options.changes ?? .version3
    folder = PINFolder(root: root, name: name, report: options.report)
    let style = changes.contains(.trashLocked) ? PINTrash.Style.replacedUnderLock : .replaced
    trash = options.trash ?? PINTrash(root: root, style: style)
    mutex = PINMutex(recursive: changes.contains(.fileLockRecursive))
    turn = changes.contains(.changesInTurn) ? options.turn ?? PINTurn() : nil
    byteLimitNow = options.byteLimit
    ageLimitNow = options.ageLimit
    // Not on the scheduler: its work may block all its threads on the lock and leave none for this.
    let start = options.start ?? { work in DispatchQueue.global().async(execute: work) }
    start { [self] in
      lock()
      createCacheDirectory()
      unlock()
      initializeDiskProperties()
    }
  }

  deinit {
    mutex.destroy()
    writable.destroy()
    stateKnown.destroy()
  }

  // MARK: The lock

  func lock() { mutex.lock() }

  func unlock() { mutex.unlock() }

  /// Acquires the lock once the directory exists.
  func lockForWriting() {
    lock()
    wait(writable) { isWritable }
  }

  /// Acquires the lock once all files are known.
  func lockAndWaitForKnownState() {
    lock()
    wait(stateKnown) { isStateKnown }
  }

  /// Under the lock: waits once. After a spurious wake-up the caller continues though the condition
  /// does not hold.
  private func wait(_ condition: PINCondition, until isTrue: () -> Bool) {
    if isTrue() { return }
    hasWaiter.signal()
    condition.wait(mutex)
    // Repair: check again, as POSIX requires.
    if changes.contains(.waitsInLoop) {
      while !isTrue() { condition.wait(mutex) }
    }
  }

  /// Wakes all threads that wait for the directory though nothing has changed, as a spurious
  /// wake-up does. Blocks until a thread waits, which releases the mutex only in its wait, or until
  /// the directory exists, after which none does.
  package func wakeSpuriously() {
    hasWaiter.wait()
    lock()
    writable.broadcast()
    unlock()
  }

  // MARK: The first scan

  /// Under the lock: makes the directory, and admits writers even where that failed.
  func createCacheDirectory() {
    _ = folder.create()
    isWritable = true
    writable.broadcast()
    hasWaiter.signal()
  }

  /// Reads the directory one file at a time, with the lock free in between.
  ///
  /// As shipped its sum then replaces the byte count, and drops what other calls have added since.
  private func initializeDiskProperties() {
    var found: UInt = 0
    lock()
    let names = folder.fileNames()
    unlock()
    SYNC_POINT("pindiskcache.scan.afterList")
    for name in names {
      guard let key = folder.key(ofFile: name) else { continue }
      lock()
      // Repair: skip a file removed since the listing; as shipped its key stays on record without a
      // size.
      let isGone = changes.contains(.bytesAddedByScan) && !folder.exists(folder.path + "/" + name)
      if metadata[key] == nil, !isGone { found += learn(key, ofFile: folder.path + "/" + name) }
      unlock()
    }
    SYNC_POINT("pindiskcache.scan.beforeByteCount")
    lock()
    if changes.contains(.bytesAddedByScan) {
      // Repair: the byte count already includes what other calls stored or removed meanwhile.
      byteCount &+= found
    } else if found > 0 {
      byteCount = found
    }
    let isTooMuch = byteLimitNow > 0 && byteCount > byteLimitNow
    if isTooMuch { trimToSizeByEvictionStrategy(byteLimitNow, completion: nil) }
    if options.isTTLCache { removeExpiredObjects(completion: nil) }
    isStateKnown = true
    stateKnown.broadcast()
    unlock()
  }

  /// Under the lock: reads a file's attributes and head, and returns its size.
  @discardableResult
  func learn(_ key: String, ofFile file: String) -> UInt {
    let attributes = folder.attributes(of: file)
    let head = try? PINArchive(head: folder.head(of: file))
    section.write(synched: true) {
      metadata[key, default: Metadata()].size = attributes?.size
      metadata[key]?.modified = attributes?.modified
      metadata[key]?.created = head?.created ?? attributes?.modified
      if options.isTTLCache { metadata[key]?.ageLimit = head?.ageLimit ?? 0 }
      metadata[key]?.accessCount = head?.accessCount ?? 0
    }
    return attributes?.size ?? 0
  }

  /// The cache's sum of its files' sizes, in bytes; wraps around below zero.
  package internal(set) var byteCount: UInt {
    // Relaxed: a reader without the lock accepts any current value.
    get { byteCountNow.load(ordering: .relaxed) }
    set { byteCountNow.store(newValue, ordering: .relaxed) }
  }
}
