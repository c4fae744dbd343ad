import Foundation
import Interlock

extension PINDiskCache3 {
  @discardableResult
  func setObject(_ object: PINObject, forKey key: String) -> Bool {
    let bytes = Archive.bytes(of: object.bytes)
    let file = folder.path(forKey: key)
    turn?.lock()
    defer { turn?.unlock() }
    lockForWriting()
    defer { unlock() }
    tell(\.willAddObject, key, object)
    let now = Date()
    let isWritten = folder.write(bytes, to: file)
    SYNC_POINT("pindiskcache.set.afterWrite")
    if isWritten { count(file, key, at: now) }
    tell(\.didAddObject, key, object)
    return isWritten
  }

  /// Under the lock: records a file that was written.
  private func count(_ file: String, _ key: String, at now: Date) {
    guard let size = folder.attributes(of: file).map({ UInt($0.size) }) else { return }
    section.write(synched: true) {
      byteCount = byteCount &- (metadata[key]?.size ?? 0) &+ size
      // The original reads the date from the file; Linux dates files to a few milliseconds only,
      // which is too coarse for their order.
      metadata[key] = Metadata(created: now, modified: now, size: size)
    }
  }

  /// Moves a file to the trash, and calls the blocks.
  ///
  /// The lock is free during the block that announces the removal: the file that is moved may be a
  /// newer one.
  func removeObject(forKey key: String) {
    let file = folder.path(forKey: key)
    turn?.lock()
    defer { turn?.unlock() }
    lockForWriting()
    defer { unlock() }
    guard folder.exists(file) else { return }
    let announced = metadata[key]?.created
    if let willRemove = blocks.read(synched: true, { events.willRemoveObject }) {
      unlock()
      willRemove(self, key, nil)
      SYNC_POINT("pindiskcache.remove.afterWillRemove")
      lock()
    }
    // Repair: keep a newer file under the key, whose removal was not announced. With
    // `changesInTurn`, only the block of this removal can have stored one.
    if changes.contains(.removesWhatWasAnnounced), metadata[key]?.created != announced { return }
    guard trash.take(file) else { return }
    trash.emptyLater()
    section.write(synched: true) {
      byteCount &-= metadata[key]?.size ?? 0
      metadata[key] = nil
    }
    tellOfRemoval(of: key)
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
    if changes.contains(.calledBlockCopied) { return copied(self, key, nil) }
    guard let block = blocks.read({ events.didRemoveObject }) else {
      fatalError("called a nil block: didRemoveObjectBlock was set to nil since it was looked at")
    }
    block(self, key, nil)
  }

  /// Removes every file, by moving the directory to the trash.
  func removeAllObjects() {
    turn?.lock()
    defer { turn?.unlock() }
    lockForWriting()
    defer { unlock() }
    _ = trash.take(folder.path)
    trash.emptyLater()
    createCacheDirectory()
    section.write(synched: true) {
      metadata.removeAll()
      byteCount = 0
    }
  }

  /// Called under the lock: releases it to call a block.
  private func tell(
    _ path: KeyPath<ChangeBlocks<ObjectBlock>, ObjectBlock?>, _ key: String, _ object: PINObject
  ) {
    guard let block = blocks.read(synched: true, { events[keyPath: path] }) else { return }
    unlock()
    block(self, key, object)
    lock()
  }

  /// Sets one of the blocks, later.
  func setEvent(
    _ path: any WritableKeyPath<ChangeBlocks<ObjectBlock>, ObjectBlock?> & Sendable,
    _ block: ObjectBlock?
  ) {
    scheduler.schedule { [self] in
      lock()
      blocks.write(synched: true) { events[keyPath: path] = block }
      unlock()
    }
  }

  // MARK: Trims, which choose keys under the lock, and remove them one by one after it

  func trimToSize(_ size: UInt) {
    remove(until: size) { $0.value.size > $1.value.size }
  }

  func trimToSizeByDate(_ size: UInt) {
    remove(until: size) { $0.value.modified < $1.value.modified }
  }

  func trim(to date: Date) {
    lockForWriting()
    let old = section.read(synched: true) {
      metadata.filter { $0.value.created < date }.sorted { $0.value.created < $1.value.created }
    }
    unlock()
    for (key, _) in old { removeObject(forKey: key) }
  }

  private func remove(
    until size: UInt,
    by comesFirst: ((key: String, value: Metadata), (key: String, value: Metadata)) -> Bool
  ) {
    lockForWriting()
    let sorted = section.read(synched: true) { metadata.sorted(by: comesFirst) }
    // As an `NSUInteger`: if the byte count has lost bytes, it wraps around, and every file goes.
    var left = byteCount
    let keys = sorted.prefix { known in
      defer { left &-= known.value.size }
      return left > size
    }
    unlock()
    for (key, _) in keys { removeObject(forKey: key) }
  }
}
