internal import Dispatch
internal import Foundation
import Interlock

// The operations, including their blocks and archiving. As shipped they run on the shared queue;
// repaired, on the caller's thread, with the directory's lock in `access` alone, and neither
// archiving nor blocks under it.

extension TMDiskCache {
  /// Reads an object, and the version of its file.
  func readObject(
    forKey key: String, at date: Date
  ) -> (object: [UInt8]?, version: UInt64?) {
    let url = files.url(forKey: key)
    let (bytes, version) = access { (files.read(url), directory.version(of: key)) }
    guard let bytes else { return (nil, nil) }
    do {
      let archive = try TMArchive(bytes)
      guard archive.key == key else { return (nil, nil) }
      let object = try archiver.decode(archive.value)
      access { if directory.version(of: key) == version { touch(key, url, at: date) } }
      return (object, version)
    } catch {
      report { throw error }
      access { removeDamaged(key, url, version: version) }
      return (nil, nil)
    }
  }

  /// As shipped this removes the file and leaves its index entry. Repaired, it removes both, and
  /// only if the file is still the one that was read: the lock was free meanwhile.
  private func removeDamaged(_ key: String, _ url: URL, version: UInt64?) {
    if repairs.contains(.synchronousCore), directory.version(of: key) != version { return }
    if report({ try files.delete(url) }), repairs.contains(.exactTotals) { directory.forget(key) }
  }

  func touchedURL(forKey key: String, at date: Date) -> URL? {
    let url = files.url(forKey: key)
    return access {
      guard files.exists(url) else { return nil }
      touch(key, url, at: date)
      return url
    }
  }

  private func touch(_ key: String, _ url: URL, at date: Date) {
    if report({ try files.setDate(date, of: url) }) { directory.touch(key, at: date) }
  }

  /// Writes an object; `alongside` runs in the same step, for state that must change with it.
  func write(
    _ object: [UInt8], forKey key: String, at date: Date, alongside: () -> Void = {}
  ) -> URL? {
    let url = files.url(forKey: key)
    access { settings.willAddObject }?(self, key, object, url)
    var bytes: [UInt8]?
    report { bytes = TMArchive(key: key, value: try archiver.encode(object)).bytes }
    let isWritten = access {
      defer { alongside() }
      if let bytes, report({ try files.write(bytes, to: url, at: date) }) {
        directory.record(key, size: bytes.count, date: date)
        return true
      }
      // As shipped the old file stays, and its object comes back once memory has evicted the new
      // one.
      if repairs.contains(.layersInStep), files.exists(url), report({ try files.delete(url) }) {
        directory.forget(key)
      }
      return false
    }
    access { settings.didAddObject }?(self, key, object, isWritten ? url : nil)
    trimToByteLimit()
    return isWritten ? url : nil
  }

  func removeAndTell(_ key: String, alongside: () -> Void = {}) {
    let url = files.url(forKey: key)
    let isThere = access { files.exists(url) }
    if isThere { access { settings.willRemoveObject }?(self, key, nil, url) }
    let isRemoved = access {
      defer { alongside() }
      // As shipped no other call can run in between. Repaired, another call may have removed it,
      // which is as good.
      if repairs.contains(.synchronousCore), !files.exists(url) { return isThere }
      guard isThere, report({ try files.moveToTrash(url) }) else { return false }
      directory.forget(key)
      return true
    }
    guard isRemoved else { return }
    files.emptyTrash()
    access { settings.didRemoveObject }?(self, key, nil, url)
  }

  func removeAllAndTell(alongside: () -> Void = {}) {
    access { settings.willRemoveAllObjects }?(self)
    access {
      report { try files.moveToTrash(files.directory) }
      report { try files.createDirectory() }
      // As shipped, even if the files could not be moved.
      directory.forgetAll()
      alongside()
    }
    files.emptyTrash()
    access { settings.didRemoveAllObjects }?(self)
  }

  func enumerate(_ body: (String, URL) -> Void) {
    let keys = access { directory.keysByDate }
    for key in keys { body(key, files.url(forKey: key)) }
  }

  // MARK: Trims

  /// Trims after a write; as shipped in a separate block.
  private func trimToByteLimit() {
    let limit = access { settings.byteLimit }
    guard limit > 0, byteCount > limit else { return }
    if repairs.contains(.synchronousCore) {
      removeOldest(toSize: limit)
    } else {
      trim(toSizeByDate: limit, completion: nil)
    }
  }

  func removeLargest(toSize limit: Int) {
    remove(toSize: limit) { directory.keysBySize }
  }

  func removeOldest(toSize limit: Int) {
    remove(toSize: limit) { directory.keysByDate }
  }

  private func remove(toSize limit: Int, inOrder keys: () -> [String]) {
    guard byteCount > limit else { return }
    for key in access(keys) {
      removeAndTell(key)
      if byteCount <= limit { return }
    }
  }

  func removeObjects(olderThan date: Date) {
    for key in access({ directory.keys(olderThan: date) }) { removeAndTell(key) }
  }

  /// Trims now, and again after each `ageLimit` while there is one.
  func trimToAgeLimitRecursively() {
    let limit = access { settings.ageLimit }
    guard limit > 0 else { return }
    removeObjects(olderThan: Date(timeIntervalSinceNow: -limit))
    let chain = access {
      settings.ageTimers += 1
      return settings.ageChain
    }
    Self.sharedQueue.asyncAfter(deadline: .now() + limit) { [weak self] in
      guard let self else { return }
      let goesOn = access {
        guard settings.ageChain == chain else { return false }
        settings.ageTimers -= 1
        return true
      }
      if goesOn { trimToAgeLimitRecursively() }
    }
  }
}
