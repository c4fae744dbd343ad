// After PINDiskCache.m of PINCache 2.0: -removeFileAndExecuteBlocksForKey:, -removeAllObjects,
// -trimDiskToSize:, -trimDiskToSizeByDate:, -trimDiskToDate:, -trimToAgeLimitRecursively,
// -enumerateObjectsWithBlock:, -synchronouslyLockFileAccessWhileExecutingBlock:.

import Dispatch
package import Foundation
import Interlock

extension PINDiskCache2 {
  /// Removes a key's file, if there is one.
  package func removeObject(forKey key: String) {
    lockForChange()
    removeFileAndExecuteBlocks(forKey: key)
    unlockAfterChange()
  }

  /// Under the lock: moves a file to the trash, and calls the blocks; `false` if the file stays.
  @discardableResult
  private func removeFileAndExecuteBlocks(forKey key: String) -> Bool {
    guard let file = folder.path(forKey: key), folder.exists(file) else { return false }
    tell(events.willRemoveObject, key, nil, file)
    guard trash.take(file) else { return false }
    trash.emptyLater()
    section.write(synched: true) {
      byteCount &-= sizes[key] ?? 0
      sizes[key] = nil
      dates[key] = nil
    }
    tell(events.didRemoveObject, key, nil, file)
    return true
  }

  /// Removes every file, by moving the directory to the trash.
  package func removeAllObjects() {
    lockForChange()
    defer { unlockAfterChange() }
    tell(events.willRemoveAllObjects)
    _ = trash.take(folder.path)
    trash.emptyLater()
    _ = folder.create()
    section.write(synched: true) {
      dates.removeAll()
      sizes.removeAll()
      byteCount = 0
    }
    tell(events.didRemoveAllObjects)
  }

  // MARK: Trims

  /// Removes the largest files until the byte count is at most `size`; 0 removes everything.
  package func trimToSize(_ size: UInt) {
    if size == 0 { return removeAllObjects() }
    lockForChange()
    defer { unlockAfterChange() }
    remove(sizes.sorted { $0.value > $1.value }.map(\.key), untilSizeIs: size)
  }

  /// Removes the least recently used files until the byte count is at most `size`; 0 removes
  /// everything.
  package func trimToSizeByDate(_ size: UInt) {
    if size == 0 { return removeAllObjects() }
    lockForChange()
    defer { unlockAfterChange() }
    trimDiskToSizeByDate(size)
  }

  /// Removes the files that were not used since a date; the distant past removes everything.
  package func trim(to date: Date) {
    if date == .distantPast { return removeAllObjects() }
    lockForChange()
    defer { unlockAfterChange() }
    for key in keysByDate where dates[key].map({ $0 < date }) ?? false {
      removeFileAndExecuteBlocks(forKey: key)
    }
  }

  /// Under the lock.
  func trimDiskToSizeByDate(_ size: UInt) {
    remove(keysByDate, untilSizeIs: size)
  }

  private var keysByDate: [String] {
    section.read(synched: true) { dates.sorted { $0.value < $1.value }.map(\.key) }
  }

  private func remove(_ keys: [String], untilSizeIs size: UInt) {
    for key in keys {
      if byteCount <= size { return }
      removeFileAndExecuteBlocks(forKey: key)
    }
  }

  /// Trims to the age limit now, and again after that interval; every setting of the limit starts
  /// such a chain, and ends none.
  func trimToAgeLimitRecursively() {
    lock()
    let limit = ageLimitNow
    unlock()
    guard limit > 0 else { return }
    trim(to: Date(timeIntervalSinceNow: -limit))
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in
      guard let self else { return }
      options.scheduler.schedule(.low) { [weak self] in self?.trimToAgeLimitRecursively() }
    }
  }

  // MARK: Under the lock

  /// Calls `body` with each key and its file, in the order of the last use.
  ///
  /// As shipped `body` runs under the lock: a call of the cache from it never returns.
  package func enumerateObjects(_ body: (_ key: String, _ path: String) -> Void) {
    lock()
    let files = keysByDate.compactMap { key in folder.path(forKey: key).map { (key, $0) } }
    // Repair: over a copy, without the lock; a file may then be gone.
    if changes.contains(.enumeratesCopy) {
      unlock()
      for (key, path) in files { body(key, path) }
    } else {
      for (key, path) in files { body(key, path) }
      unlock()
    }
  }

  /// Runs `body` with exclusive access to the files, and blocks until it ends. A call of the cache
  /// from it never returns: it is meant for the files.
  package func synchronouslyLockFileAccess(whileExecuting body: (PINDiskCache2) -> Void) {
    lock()
    body(self)
    unlock()
  }

  /// Runs `body` later, with exclusive access to the files.
  package func lockFileAccess(whileExecuting body: @escaping CacheBlock) {
    options.scheduler.schedule(.low) { [self] in
      lock()
      body(self)
      unlock()
    }
  }
}
