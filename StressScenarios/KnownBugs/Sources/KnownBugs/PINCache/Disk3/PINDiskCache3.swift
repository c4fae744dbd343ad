import Caches
import Dispatch
import Foundation
import Interlock
import Synchronization

/// PINCache 3.0.4's disk cache: files under a mutex that is released for every block, and a first
/// scan of the directory in the background. After PINDiskCache.m of PINCache 3.0.4.
///
/// A global queue makes the directory and lists it; a write waits on a condition until the
/// directory exists, an enumeration waits on another condition until all files are known, and a
/// read waits on neither. The mutex is free while a file is decoded, while the user's blocks run,
/// and between two files of the first scan. Removed files go to a trash that another queue empties.
///
/// `@unchecked Sendable`: all mutable state is under `mutex`; its sections check that.
final class PINDiskCache3: PINDisk, @unchecked Sendable {
  typealias ObjectBlock =
    @Sendable (_ cache: PINDiskCache3, _ key: String, _ object: PINObject?) -> Void

  struct Metadata {
    var created = Date.distantPast
    var modified = Date.distantPast
    var size: UInt = 0
  }

  let changes: PINChanges
  let scheduler: PINScheduler
  let folder: CacheFolder
  let trash: PINTrash
  let section = Section("pin.disk")
  private let mutex: PosixMutex
  /// Held over each change and its blocks; taken before `mutex`. `nil` without the repair.
  let turn: PINTurn?
  private let writable = PosixCondition()
  private let stateKnown = PosixCondition()
  /// Signalled by each thread that is about to wait, and when no thread will wait any more; used by
  /// `wakeSpuriously` alone.
  private let hasWaiter = DispatchSemaphore(value: 0)

  var metadata: [String: Metadata] = [:]
  let blocks = Section("pin.disk.blocks")
  var events = ChangeBlocks<ObjectBlock>()
  private var isWritable = false
  var isStateKnown = false
  private var ageLimitNow: TimeInterval = 0
  private var ageChain: UInt64 = 0
  /// An atomic property in the original: read without the lock, changed under it.
  private let byteCountNow = Atomic<UInt>(0)

  /// A cache over the directory of this name, which a global queue makes and scans.
  init(name: String, root: String, options: PINDiskOptions = PINDiskOptions()) {
    changes = options.changes ?? .version3
    scheduler = options.scheduler
    folder = CacheFolder(root: root, prefix: PINDiskOptions.prefix, name: name)
    trash = PINTrash(
      root: root, style: changes.contains(.trashLocked) ? .replacedUnderLock : .replaced)
    mutex = PosixMutex(recursive: changes.contains(.fileLockRecursive))
    turn = changes.contains(.changesInTurn) ? options.turn ?? PINTurn() : nil
    // Not on the scheduler: its calls may block all its threads, and leave none for the scan.
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
  private func lockAndWaitForKnownState() {
    lock()
    wait(stateKnown) { isStateKnown }
  }

  /// Under the lock: waits once. After a spurious wake-up the caller continues though the condition
  /// does not hold.
  private func wait(_ condition: PosixCondition, until isTrue: () -> Bool) {
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
  /// the directory exists, after which no thread waits.
  func wakeSpuriously() {
    hasWaiter.wait()
    lock()
    writable.broadcast()
    unlock()
  }

  // MARK: The first scan

  /// Under the lock: makes the directory, and admits writers even where that failed.
  func createCacheDirectory() {
    folder.create()
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
    let keys = folder.keys()
    unlock()
    for key in keys {
      let file = folder.path(forKey: key)
      lock()
      // Repair: skip a file removed since the listing; as shipped its key stays on record without a
      // size.
      let isGone = changes.contains(.bytesAddedByScan) && !folder.exists(file)
      if metadata[key] == nil, !isGone {
        let attributes = folder.attributes(of: file)
        let date = attributes?.modified ?? .distantPast
        let known = Metadata(created: date, modified: date, size: UInt(attributes?.size ?? 0))
        section.write(synched: true) { metadata[key] = known }
        found += known.size
      }
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
    isStateKnown = true
    stateKnown.broadcast()
    unlock()
  }

  var byteCount: UInt {
    // Relaxed: a reader without the lock accepts any current value.
    get { byteCountNow.load(ordering: .relaxed) }
    set { byteCountNow.store(newValue, ordering: .relaxed) }
  }

  /// Waits for the first scan.
  var knownSizes: [String: UInt] {
    lockAndWaitForKnownState()
    defer { unlock() }
    return section.read(synched: true) { metadata.mapValues(\.size) }
  }

  // MARK: Reading

  /// Whether a key has a file.
  func containsObject(forKey key: String) -> Bool {
    mayExist(key) && filePath(forKey: key, notesUse: false) != nil
  }

  private func mayExist(_ key: String) -> Bool {
    lock()
    defer { unlock() }
    return metadata[key] != nil || !isStateKnown
  }

  /// The object under a key. The lock is free while the file's bytes become an object.
  ///
  /// A file that cannot be decoded is deleted; but the lock was free, and another file may have
  /// replaced it.
  func object(forKey key: String) -> PINObject? {
    guard mayExist(key) else { return nil }
    let file = folder.path(forKey: key)
    let now = Date()
    lock()
    defer { unlock() }
    guard let bytes = folder.read(file) else { return nil }
    unlock()
    let object = Archive.value(in: bytes).map { PINObject($0) }
    if object == nil { deleteDamagedFile(file, bytes) }
    lock()
    if object != nil { noteUse(of: key, file, at: now) }
    return object
  }

  /// Deletes a file that could not be decoded. As in the original, the metadata keeps its entry.
  private func deleteDamagedFile(_ file: String, _ bytes: [UInt8]) {
    SYNC_POINT("pindiskcache.get.beforeDelete")
    lock()
    defer { unlock() }
    // Repair: keep the file if another has replaced the one that was read.
    if changes.contains(.damagedRechecked), folder.read(file) != bytes { return }
    _ = folder.remove(file)
  }

  func filePath(forKey key: String) -> String? { filePath(forKey: key, notesUse: true) }

  private func filePath(forKey key: String, notesUse: Bool) -> String? {
    let now = Date()
    let file = folder.path(forKey: key)
    lockForWriting()
    defer { unlock() }
    guard folder.exists(file) else { return nil }
    if notesUse { noteUse(of: key, file, at: now) }
    return file
  }

  /// Under the lock: notes a use, and writes it to the file later. The file may be gone by then,
  /// which does no harm.
  private func noteUse(of key: String, _ file: String, at now: Date) {
    guard metadata[key] != nil else { return }
    section.write(synched: true) { metadata[key]?.modified = now }
    scheduler.schedule { [self] in
      lockForWriting()
      _ = folder.setDate(now, of: file)
      unlock()
    }
  }

  /// Waits for the first scan. As shipped `body` runs under the lock: a call of the cache from it
  /// never returns.
  func enumerateObjects(_ body: (_ key: String) -> Void) {
    lockAndWaitForKnownState()
    let keys = metadata.keys
    // Repair: over a copy, without the lock; a file may then be gone.
    let isUnlocked = changes.contains(.enumeratesCopy)
    if isUnlocked { unlock() }
    for key in keys { body(key) }
    if !isUnlocked { unlock() }
  }

  /// A call of the cache from `body` never returns, unless the lock is recursive.
  func synchronouslyLockFileAccess(whileExecuting body: () -> Void) {
    lockForWriting()
    body()
    unlock()
  }

  // MARK: The age limit

  var ageLimit: TimeInterval {
    get {
      lock()
      defer { unlock() }
      return ageLimitNow
    }
    set {
      scheduler.schedule { [self] in
        lock()
        ageLimitNow = newValue
        ageChain &+= 1
        let chain = ageChain
        unlock()
        scheduler.schedule { self.trimToAgeLimitRecursively(chain: chain) }
      }
    }
  }

  /// Trims to the age limit now, and again after that interval; ends when the limit changes.
  private func trimToAgeLimitRecursively(chain: UInt64) {
    let limit = ageLimit
    guard limit > 0 else { return }
    scheduler.schedule { self.trim(to: Date(timeIntervalSinceNow: -limit)) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [self] in
      lock()
      // Repair: compare chain numbers; as shipped a limit that is set twice has two chains.
      let goesOn =
        changes.contains(.oneAgeChain) ? chain == ageChain : limit == ageLimitNow
      unlock()
      if goesOn { scheduler.schedule { self.trimToAgeLimitRecursively(chain: chain) } }
    }
  }
}
