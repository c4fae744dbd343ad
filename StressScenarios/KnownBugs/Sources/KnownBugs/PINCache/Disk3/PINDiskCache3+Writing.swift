// After PINDiskCache.m of PINCache 3.0.4: -setObject:forKey:withAgeLimit:fileURL:,
// -removeFileAndExecuteBlocksForKey:, -removeAllObjects.

package import Foundation
import Interlock

extension PINDiskCache3 {
  /// Writes an object's file; returns its path, or `nil` if it could not be written, or is
  /// larger than the byte limit.
  @discardableResult
  package func setObject(
    _ object: PINObject, forKey key: String, ageLimit: TimeInterval = 0
  ) -> String? {
    let payload = options.serialize(object, key)
    lock()
    let byteLimit = byteLimitNow
    unlock()
    guard byteLimit == 0 || payload.count <= byteLimit, let file = folder.path(forKey: key) else {
      return nil
    }
    turn?.lock()
    defer { turn?.unlock() }
    lockForWriting()
    defer { unlock() }
    tell(\.willAddObject, key, object)
    let now = Date()
    let archive = PINArchive(key: key, created: now, payload: payload)
    let isWritten = folder.write(archive.bytes, to: file)
    SYNC_POINT("pindiskcache.set.afterWrite")
    if isWritten {
      count(file, key, at: now)
      writeAgeLimit(ageLimit, of: key, file)
      writeAccessCount(of: key, file)
      if byteLimitNow > 0, byteCount > byteLimitNow {
        trimToSizeByEvictionStrategy(byteLimitNow, completion: nil)
      }
    }
    tell(\.didAddObject, key, object)
    return isWritten ? file : nil
  }

  /// Under the lock: records a file that was written.
  private func count(_ file: String, _ key: String, at now: Date) {
    guard let attributes = folder.attributes(of: file) else { return }
    section.write(synched: true) {
      let previous = metadata[key]?.size ?? 0
      byteCount = byteCount &- previous &+ attributes.size
      metadata[key, default: Metadata()].size = attributes.size
      metadata[key]?.created = now
      // The original reads it from the file; Linux dates files to a few milliseconds only, which is
      // too coarse for their order.
      metadata[key]?.modified = now
      metadata[key]?.accessCount &+= 1
    }
  }

  /// Removes a key's file, if there is one.
  package func removeObject(forKey key: String) {
    removeFileAndExecuteBlocks(forKey: key)
  }

  /// Moves a file to the trash, and calls the blocks; `false` if the file stays.
  ///
  /// The lock is free during the block that announces the removal: the file that is moved may be a
  /// newer one.
  @discardableResult
  func removeFileAndExecuteBlocks(forKey key: String) -> Bool {
    guard let file = folder.path(forKey: key) else { return false }
    turn?.lock()
    defer { turn?.unlock() }
    lockForWriting()
    defer { unlock() }
    guard folder.exists(file) else { return false }
    let announced = metadata[key]?.created
    if let willRemove = blocks.read(synched: true, { events.willRemoveObject }) {
      unlock()
      willRemove(self, key, nil, nil)
      SYNC_POINT("pindiskcache.remove.afterWillRemove")
      lock()
    }
    // Repair: keep a newer file under the key, whose removal was not announced. With
    // `changesInTurn`, only the block of this removal can have stored one.
    if changes.contains(.removesWhatWasAnnounced), metadata[key]?.created != announced {
      return false
    }
    guard trash.take(file) else { return false }
    trash.emptyLater()
    section.write(synched: true) {
      byteCount &-= metadata[key]?.size ?? 0
      metadata[key] = nil
    }
    tellOfRemoval(of: key)
    return true
  }

  /// Called under the lock: releases it and calls the block that follows a removal.
  ///
  /// As shipped the check under the lock reads a copy, but the call reads the property again. That
  /// may be `nil` by then, and calling a `nil` block crashes.
  private func tellOfRemoval(of key: String) {
    guard let copied = blocks.read(synched: true, { events.didRemoveObject }) else { return }
    unlock()
    defer { lock() }
    SYNC_POINT("pindiskcache.remove.beforeDidRemove")
    // Repair: call the copied block.
    if changes.contains(.calledBlockCopied) { return copied(self, key, nil, nil) }
    guard let block = blocks.read({ events.didRemoveObject }) else {
      fatalError("called a nil block: didRemoveObjectBlock was set to nil since it was looked at")
    }
    block(self, key, nil, nil)
  }

  /// Removes every file, by moving the directory to the trash.
  package func removeAllObjects() {
    turn?.lock()
    defer { turn?.unlock() }
    lockForWriting()
    defer { unlock() }
    tell(\.willRemoveAllObjects)
    _ = trash.take(folder.path)
    trash.emptyLater()
    createCacheDirectory()
    section.write(synched: true) {
      metadata.removeAll()
      byteCount = 0
    }
    tell(\.didRemoveAllObjects)
  }

  // MARK: The blocks

  /// Called under the lock: releases it to call a block.
  private func tell(
    _ path: KeyPath<PINDiskEvents<PINDiskCache3>, ObjectBlock?>, _ key: String, _ object: PINObject?
  ) {
    guard let block = blocks.read(synched: true, { events[keyPath: path] }) else { return }
    unlock()
    block(self, key, object, nil)
    lock()
  }

  /// Called under the lock: releases it to call a block.
  private func tell(_ path: KeyPath<PINDiskEvents<PINDiskCache3>, CacheBlock?>) {
    guard let block = blocks.read(synched: true, { events[keyPath: path] }) else { return }
    unlock()
    block(self)
    lock()
  }
}
