import Dispatch
import Foundation
import Interlock

// As shipped the operations run on the shared queue; repaired, on the caller's thread, with the
// directory's lock in `access` alone, and neither decoding nor the block under it.
extension TMDiskCache {
  /// Reads an object, and the version of its file.
  func readObject(forKey key: String, at date: Date) -> (object: [UInt8]?, version: UInt64?) {
    let file = folder.path(forKey: key)
    let (bytes, version) = access { (folder.read(file), directory.version(of: key)) }
    guard let bytes else { return (nil, nil) }
    guard let object = Archive.value(in: bytes) else {
      access { removeDamaged(key, file, version: version) }
      return (nil, nil)
    }
    willDecode()
    access { if directory.version(of: key) == version { touch(key, file, at: date) } }
    return (object, version)
  }

  /// As shipped this removes the file and leaves its index entry. Repaired, it removes both, and
  /// only if the file is still the one that was read: the lock was free meanwhile.
  private func removeDamaged(_ key: String, _ file: String, version: UInt64?) {
    if repairs.contains(.synchronousCore), directory.version(of: key) != version { return }
    if folder.remove(file), repairs.contains(.exactTotals) { directory.forget(key) }
  }

  func touchedFile(ofKey key: String, at date: Date) -> String? {
    let file = folder.path(forKey: key)
    return access {
      guard folder.exists(file) else { return nil }
      touch(key, file, at: date)
      return file
    }
  }

  private func touch(_ key: String, _ file: String, at date: Date) {
    if folder.setDate(date, of: file) { directory.touch(key, at: date) }
  }

  /// Writes an object; `alongside` runs in the same step, for state that must change with it.
  func write(
    _ object: [UInt8], forKey key: String, at date: Date, alongside: () -> Void = {}
  ) {
    let file = folder.path(forKey: key)
    access { settings.block }?(self, key)
    let bytes = Archive.bytes(of: object)
    access {
      defer { alongside() }
      let isWritten = folder.write(bytes, to: file, at: date) {
        SYNC_POINT("tmdiskcache.write.beforeRename")
      }
      if isWritten {
        directory.record(key, size: bytes.count, date: date)
      } else if repairs.contains(.layersInStep), folder.remove(file) {
        // As shipped the old file stays, and its object comes back once memory has evicted the new
        // one.
        directory.forget(key)
      }
    }
  }

  func remove(_ key: String, alongside: () -> Void = {}) {
    let file = folder.path(forKey: key)
    let isRemoved = access {
      defer { alongside() }
      guard folder.exists(file), moveToTrash(file) else { return false }
      directory.forget(key)
      return true
    }
    if isRemoved { emptyTrash() }
  }

  func removeAll(alongside: () -> Void = {}) {
    access {
      _ = moveToTrash(folder.path)
      folder.create()
      // As shipped, forget all files even if they could not be moved.
      directory.forgetAll()
      alongside()
    }
    emptyTrash()
  }

  /// Moves a file or a directory to the trash; as shipped the only way to remove one.
  private func moveToTrash(_ file: String) -> Bool {
    if rename(file, trash + "/" + UUID().uuidString) == 0 { return true }
    guard repairs.contains(.removesWithoutTrash) else { return false }
    makeTrash()
    return folder.remove(file)
  }

  func makeTrash() {
    try? FileManager.default.createDirectory(atPath: trash, withIntermediateDirectories: true)
  }

  /// Deletes the contents of the trash, later on another queue.
  private func emptyTrash() {
    Self.trashQueue.async { [trash] in
      for name in (try? FileManager.default.contentsOfDirectory(atPath: trash)) ?? [] {
        try? FileManager.default.removeItem(atPath: trash + "/" + name)
      }
    }
  }

  /// Trims now, and again after each `ageLimit` while there is one.
  func trimToAgeLimitRecursively() {
    guard let (limit, chain) = access({ settings.startTimer() }) else { return }
    let oldest = Date(timeIntervalSinceNow: -limit)
    for key in access({ directory.keys(olderThan: oldest) }) { remove(key) }
    Self.sharedQueue.asyncAfter(deadline: .now() + limit) { [weak self] in
      guard let self else { return }
      if access({ settings.endTimer(of: chain) }) { trimToAgeLimitRecursively() }
    }
  }
}
