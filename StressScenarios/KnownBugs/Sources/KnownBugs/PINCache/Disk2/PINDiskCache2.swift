import Caches
import Dispatch
import Foundation
import Interlock
import Synchronization

/// PINCache 2.0's disk cache: files under a semaphore of 1, held during each whole method. After
/// PINDiskCache.m of PINCache 2.0.
///
/// Each method holds the semaphore from beginning to end: during file access, archiving, the change
/// blocks, and even the completions of the asynchronous methods. So a completion or a block that
/// calls a synchronous method of the cache deadlocks (pull request 97). Two caches of one name are
/// two semaphores over one directory, each with its own sums.
///
/// `@unchecked Sendable`: all mutable state is under `guardian`; its sections check that.
final class PINDiskCache2: PINDisk, @unchecked Sendable {
  typealias ObjectBlock =
    @Sendable (_ cache: PINDiskCache2, _ key: String, _ object: PINObject?) -> Void

  let changes: PINChanges
  let scheduler: PINScheduler
  let folder: CacheFolder
  let trash: PINTrash
  let section = Section("pin.disk")
  private let guardian = DispatchSemaphore(value: 1)
  /// Held over each change and its blocks; taken before `guardian`. `nil` without the repair.
  let turn: PINTurn?

  /// When each key was used last; its keys are the keys on record.
  var dates: [String: Date] = [:]
  var sizes: [String: UInt] = [:]
  var events = ChangeBlocks<ObjectBlock>()
  var ageLimitNow: TimeInterval = 0
  /// An atomic property in the original: read without the lock, changed under it.
  private let byteCountNow = Atomic<UInt>(0)

  /// A cache over the directory of this name, which it scans in the background.
  init(name: String, root: String, options: PINDiskOptions = PINDiskOptions()) {
    changes = options.changes ?? .version2
    scheduler = options.scheduler
    folder = CacheFolder(root: root, prefix: PINDiskOptions.prefix, name: name)
    trash = PINTrash(root: root, style: .kept)
    turn = changes.contains(.changesInTurn) ? options.turn ?? PINTurn() : nil
    // Repair (2.1): acquire here and release in the block, which a semaphore allows and a mutex
    // does not. As shipped a call may run before the block: then there is no directory, and what
    // the call stores is lost.
    let isHeld = changes.contains(.heldUntilScanned)
    if isHeld { lock() }
    (options.start ?? scheduler.schedule) { [self] in
      if !isHeld { lock() }
      folder.create()
      initializeDiskProperties()
      unlock()
    }
  }

  func lock() { guardian.wait() }

  func unlock() { guardian.signal() }

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
    for key in folder.keys() {
      guard let attributes = folder.attributes(of: folder.path(forKey: key)) else { continue }
      section.write(synched: true) {
        dates[key] = attributes.modified
        sizes[key] = UInt(attributes.size)
      }
      byteCount += UInt(attributes.size)
    }
    if byteCount > 0 { self.byteCount = byteCount }
  }

  var byteCount: UInt {
    // Relaxed: a reader without the lock accepts any current value.
    get { byteCountNow.load(ordering: .relaxed) }
    set { byteCountNow.store(newValue, ordering: .relaxed) }
  }

  var knownSizes: [String: UInt] {
    lock()
    defer { unlock() }
    return section.read(synched: true) { sizes }
  }

  // MARK: Reading

  /// The object under a key. A file that cannot be unarchived is deleted.
  func object(forKey key: String) -> PINObject? {
    let now = Date()
    let file = folder.path(forKey: key)
    lock()
    defer { unlock() }
    guard let bytes = folder.read(file) else { return nil }
    guard let value = Archive.value(in: bytes) else {
      // As in the original, the sums still include the deleted file.
      _ = folder.remove(file)
      return nil
    }
    noteUse(of: key, file, at: now)
    return PINObject(value)
  }

  func filePath(forKey key: String) -> String? {
    let now = Date()
    let file = folder.path(forKey: key)
    lock()
    defer { unlock() }
    guard folder.exists(file) else { return nil }
    noteUse(of: key, file, at: now)
    return file
  }

  private func noteUse(of key: String, _ file: String, at date: Date) {
    guard folder.setDate(date, of: file) else { return }
    section.write(synched: true) { dates[key] = date }
  }

  // MARK: Storing

  @discardableResult
  func setObject(_ object: PINObject, forKey key: String) -> Bool {
    let now = Date()
    let file = folder.path(forKey: key)
    lockForChange()
    defer { unlockAfterChange() }
    tell(events.willAddObject, key, object)
    let isWritten = folder.write(Archive.bytes(of: object.bytes), to: file)
    if isWritten {
      noteUse(of: key, file, at: now)
      count(file, key)
    }
    tell(events.didAddObject, key, object)
    return isWritten
  }

  private func count(_ file: String, _ key: String) {
    guard let size = folder.attributes(of: file).map({ UInt($0.size) }) else { return }
    section.write(synched: true) {
      // Repair (issues 30 and 36): 2.0 adds the new size to the old one.
      if changes.contains(.replacedBytesSubtracted) { byteCount &-= sizes[key] ?? 0 }
      sizes[key] = size
      byteCount &+= size
    }
  }

  // MARK: Under the lock

  /// As shipped `body` runs under the lock: a call of the cache from it never returns.
  func enumerateObjects(_ body: (_ key: String) -> Void) {
    lock()
    let keys = keysByDate
    // Repair: over a copy, without the lock; a file may then be gone.
    let isUnlocked = changes.contains(.enumeratesCopy)
    if isUnlocked { unlock() }
    for key in keys { body(key) }
    if !isUnlocked { unlock() }
  }

  /// A call of the cache from `body` never returns: it is meant for the files.
  func synchronouslyLockFileAccess(whileExecuting body: () -> Void) {
    lock()
    body()
    unlock()
  }

  /// Sets one of the blocks, later.
  func setEvent(
    _ path: any WritableKeyPath<ChangeBlocks<ObjectBlock>, ObjectBlock?> & Sendable,
    _ block: ObjectBlock?
  ) {
    scheduler.schedule { [self] in
      lock()
      events[keyPath: path] = block
      unlock()
    }
  }

  /// Under the lock: calls a block. Repair (pull request 97): without the lock.
  func tell(_ block: ObjectBlock?, _ key: String, _ object: PINObject?) {
    guard let block else { return }
    let isUnlocked = changes.contains(.callbacksUnlocked)
    if isUnlocked { unlock() }
    block(self, key, object)
    if isUnlocked { lock() }
  }

  // MARK: The asynchronous methods

  func object(forKey key: String, completion: @escaping @Sendable (PINObject?) -> Void) {
    later(key, { $0.object(forKey: key) }) { completion($2) }
  }

  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(PINObject(value), forKey: key) { _, _, _ in completion() }
  }

  func setObject(_ object: PINObject, forKey key: String, completion: @escaping ObjectBlock) {
    later(
      key,
      {
        $0.setObject(object, forKey: key)
        return object
      }, completion)
  }

  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    later(
      key,
      {
        $0.removeObject(forKey: key)
        return nil
      }
    ) { _, _, _ in completion() }
  }

  /// Acquires the lock again, which the method has just released, for the completion. Repair (pull
  /// request 97): `tell` releases the lock for the call.
  private func later(
    _ key: String, _ work: @escaping @Sendable (PINDiskCache2) -> PINObject?,
    _ completion: @escaping ObjectBlock
  ) {
    scheduler.schedule { [self] in
      let object = work(self)
      lock()
      tell(completion, key, object)
      unlock()
    }
  }
}
