// After PINDiskCache.m of PINCache 3.0.4: -initWithName:…, -dealloc, -lock, -unlock,
// -lockForWriting, -lockAndWaitForKnownState, -_locked_createCacheDirectory,
// -initializeDiskProperties, -_locked_initializeDiskPropertiesForFile:fileKey:.

import Dispatch
import Foundation
import Interlock
import Synchronization

/// PINCache 3.0.4's disk cache: files under a mutex that is let go of for every block, and a first
/// look at the directory that nobody waits for.
///
/// A global queue makes the directory and lists it; a write waits on a condition until there is the
/// directory, an enumeration on another until all files are known, and a read on neither. The mutex
/// is given back while an object is serialised, while the user's blocks run, and between two files
/// of the first look. What is removed goes to a trash that another queue empties.
///
/// `@unchecked Sendable`: everything that changes is under `mutex`, and its sections say so.
package final class PINDiskCache3: @unchecked Sendable {
  /// What is known of a key's file; each field is `nil` where the file system did not tell it.
  struct Metadata {
    var created: Date?
    var modified: Date?
    var size: UInt?
    /// The key's own age limit; 0 where it has none.
    var ageLimit: TimeInterval = 0
    var accessCount = 0
  }

  /// Told of one key. The path is `nil`: since pull request 97 a block is not given it any more.
  package typealias ObjectBlock = PINDiskEvents<PINDiskCache3>.ObjectBlock
  /// Told of the whole cache.
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
  private let writable = PINCondition()
  private let stateKnown = PINCondition()
  /// Signalled by who is about to wait, for `wakeSpuriously` alone.
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

  /// A cache over the directory of this name, which a global queue makes and looks at.
  package init(name: String, root: String, options: PINDiskOptions = PINDiskOptions()) {
    self.name = name
    self.options = options
    changes = options.changes ?? .version3
    folder = PINFolder(root: root, name: name, report: options.report)
    let style = changes.contains(.trashLocked) ? PINTrash.Style.replacedUnderLock : .replaced
    trash = options.trash ?? PINTrash(root: root, style: style)
    mutex = PINMutex(recursive: changes.contains(.fileLockRecursive))
    byteLimitNow = options.byteLimit
    ageLimitNow = options.ageLimit
    // Not on the scheduler, whose work may wait for the lock until no thread is left for this.
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

  /// Takes the lock when there is a directory.
  func lockForWriting() {
    lock()
    wait(writable) { isWritable }
  }

  /// Takes the lock when all files are known.
  func lockAndWaitForKnownState() {
    lock()
    wait(stateKnown) { isStateKnown }
  }

  /// Under the lock: waits, once. A wait may end without a reason, and then the lock is held in a
  /// state that the caller does not expect.
  private func wait(_ condition: PINCondition, until isTrue: () -> Bool) {
    if isTrue() { return }
    hasWaiter.signal()
    condition.wait(mutex)
    // Repair: look again, as POSIX asks for.
    if changes.contains(.waitsInLoop) {
      while !isTrue() { condition.wait(mutex) }
    }
  }

  /// Wakes everybody who waits for the directory, though nothing has changed: what a spurious
  /// wake-up is to them. Blocks until somebody waits: the waiter gives the mutex up in its wait,
  /// and not before.
  package func wakeSpuriously() {
    hasWaiter.wait()
    lock()
    writable.broadcast()
    unlock()
  }

  // MARK: The first look

  /// Under the lock: makes the directory, and lets writers in even where that failed.
  func createCacheDirectory() {
    _ = folder.create()
    isWritable = true
    writable.broadcast()
  }

  /// Learns what there is, one file at a time, with the lock free in between.
  ///
  /// At the end its sum takes the place of the byte count, whatever others have added to it since
  /// the beginning.
  private func initializeDiskProperties() {
    var found: UInt = 0
    lock()
    let names = folder.fileNames()
    unlock()
    SYNC_POINT("pindiskcache.scan.afterList")
    for name in names {
      guard let key = folder.key(ofFile: name) else { continue }
      lock()
      // Repair: a file may have gone since it was listed; as shipped its key is then known without
      // a size.
      let isGone = changes.contains(.bytesAddedByScan) && !folder.exists(folder.path + "/" + name)
      if metadata[key] == nil, !isGone { found += learn(key, ofFile: folder.path + "/" + name) }
      unlock()
    }
    SYNC_POINT("pindiskcache.scan.beforeByteCount")
    lock()
    if changes.contains(.bytesAddedByScan) {
      // Repair: what others stored or removed meanwhile is in the byte count already.
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

  /// Under the lock: reads what the file system knows of a file, and gives its size.
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

  /// How many bytes the cache says that its files have; wraps around below zero.
  package internal(set) var byteCount: UInt {
    // Relaxed: whoever reads it without the lock takes whatever value it has just then.
    get { byteCountNow.load(ordering: .relaxed) }
    set { byteCountNow.store(newValue, ordering: .relaxed) }
  }
}
