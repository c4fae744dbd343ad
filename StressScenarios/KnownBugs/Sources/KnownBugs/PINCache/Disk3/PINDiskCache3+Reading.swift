// After PINDiskCache.m of PINCache 3.0.4: -containsObjectForKey:, -objectForKey:fileURL:,
// -fileURLForKey:updateFileModificationDate:, -asynchronouslySetFileModificationDate:forURL:,
// -asynchronouslySetAccessCount:forURL:, -asynchronouslySetAgeLimit:forURL:,
// -enumerateObjectsWithBlock:, -synchronouslyLockFileAccessWhileExecutingBlock:.

import Foundation
import Interlock

extension PINDiskCache3 {
  /// Whether a key has a file that has not expired.
  package func containsObject(forKey key: String) -> Bool {
    lock()
    guard metadata[key] != nil || !isStateKnown else {
      unlock()
      return false
    }
    let isHidden = options.isTTLCache && isExpired(key, at: Date())
    unlock()
    return !isHidden && filePath(forKey: key, notesUse: false) != nil
  }

  /// The object under a key. The lock is free while the file's bytes become an object.
  ///
  /// A file that cannot be decoded is deleted; but the lock was free, and another file may have
  /// replaced it.
  package func object(forKey key: String) -> PINObject? {
    lock()
    let mayExist = metadata[key] != nil || !isStateKnown
    unlock()
    guard mayExist, let file = folder.path(forKey: key) else { return nil }
    let now = Date()
    lock()
    defer { unlock() }
    if options.isTTLCache {
      if !isStateKnown, metadata[key] == nil, folder.exists(file) {
        let size = learn(key, ofFile: file)
        // Repair: the first scan skips a key that is on record, so that as shipped its bytes are
        // never counted.
        if changes.contains(.bytesAddedByScan) { byteCount &+= size }
      }
      if isExpired(key, at: now) { return nil }
    }
    guard let bytes = folder.read(file) else { return nil }
    unlock()
    let object = decode(bytes, key)
    if object == nil { deleteDamagedFile(file, bytes) }
    lock()
    if object != nil { noteUse(of: key, file, at: now) }
    return object
  }

  private func decode(_ bytes: [UInt8], _ key: String) -> PINObject? {
    guard let archive = try? PINArchive.contents(of: bytes), archive.key == key else { return nil }
    return try? options.deserialize(archive.payload, key)
  }

  /// Deletes a file that could not be decoded. As in the original, the metadata still has it.
  private func deleteDamagedFile(_ file: String, _ bytes: [UInt8]) {
    SYNC_POINT("pindiskcache.get.beforeDelete")
    lock()
    defer { unlock() }
    // Repair: keep the file if another has replaced the one that was read.
    if changes.contains(.damagedRechecked), folder.read(file) != bytes { return }
    if folder.exists(file) { _ = folder.remove(file) }
  }

  /// The path of a key's file, if there is one. Notes a use, unless the cache evicts by age.
  package func filePath(forKey key: String) -> String? {
    filePath(forKey: key, notesUse: !options.isTTLCache)
  }

  func filePath(forKey key: String, notesUse: Bool) -> String? {
    let now = Date()
    guard let file = folder.path(forKey: key) else { return nil }
    lockForWriting()
    defer { unlock() }
    guard folder.exists(file) else { return nil }
    if notesUse { noteUse(of: key, file, at: now) }
    return file
  }

  /// Under the lock: whether a key is as old as its limit, or the cache's, allows.
  func isExpired(_ key: String, at now: Date) -> Bool {
    guard let known = metadata[key], let created = known.created else { return false }
    let limit = known.ageLimit > 0 ? known.ageLimit : ageLimitNow
    return limit > 0 && abs(created.timeIntervalSince(now)) >= limit
  }

  /// Under the lock: notes a use, and writes it to the file later.
  private func noteUse(of key: String, _ file: String, at now: Date) {
    guard metadata[key] != nil else { return }
    section.write(synched: true) {
      metadata[key]?.modified = now
      metadata[key]?.accessCount &+= 1
    }
    later { _ = $0.folder.setModificationDate(now, of: file) }
    writeAccessCount(of: key, file)
  }

  /// Under the lock: writes the access count to the file later.
  func writeAccessCount(of key: String, _ file: String) {
    let count = metadata[key]?.accessCount ?? 0
    later { cache in
      cache.folder.attempt("count a use of", file) {
        try PINArchive.setAccessCount(count, inFileAt: file)
        cache.section.write(synched: true) { cache.metadata[key]?.accessCount = count }
      }
    }
  }

  /// Under the lock: writes the age limit to the file later.
  func writeAgeLimit(_ limit: TimeInterval, of key: String, _ file: String) {
    later { cache in
      cache.folder.attempt("limit the age of", file) {
        try PINArchive.setAgeLimit(limit, inFileAt: file)
        cache.section.write(synched: true) { cache.metadata[key]?.ageLimit = limit }
      }
    }
  }

  /// Changes a file later, under the lock. The file may be gone by then, which does no harm.
  private func later(_ work: @escaping @Sendable (PINDiskCache3) -> Void) {
    options.scheduler.schedule(.low) { [self] in
      lockForWriting()
      work(self)
      unlock()
    }
  }

  // MARK: Under the lock

  /// Calls `body` with each key and its file, until it returns `false`; waits for the first scan.
  ///
  /// As shipped `body` runs under the lock: a call of the cache from it never returns.
  package func enumerateObjects(_ body: (_ key: String, _ path: String) -> Bool) {
    lockAndWaitForKnownState()
    let now = Date()
    let files = metadata.keys
      .filter { !options.isTTLCache || !isExpired($0, at: now) }
      .compactMap { key in folder.path(forKey: key).map { (key, $0) } }
    // Repair: over a copy, without the lock; a file may then be gone.
    let isUnlocked = changes.contains(.enumeratesCopy)
    if isUnlocked { unlock() }
    for (key, path) in files where !body(key, path) { break }
    if !isUnlocked { unlock() }
  }

  /// Runs `body` with exclusive access to the files, and blocks until it ends. A call of the cache
  /// from it never returns, unless the lock is recursive.
  package func synchronouslyLockFileAccess(whileExecuting body: (PINDiskCache3) -> Void) {
    lockForWriting()
    body(self)
    unlock()
  }
}
