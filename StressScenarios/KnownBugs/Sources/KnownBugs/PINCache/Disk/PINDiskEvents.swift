/// The six blocks of a disk cache, and the types of its completions.
///
/// In 2.0 a block is also given the file's path; it runs under the lock, so the file is there.
package struct PINDiskEvents<Owner: Sendable>: Sendable {
  /// Called with one key; `path` is the file's, `nil` if none was written.
  package typealias ObjectBlock =
    @Sendable (
      _ cache: Owner, _ key: String, _ object: PINObject?, _ path: String?
    ) -> Void
  /// Called for the whole cache.
  package typealias CacheBlock = @Sendable (_ cache: Owner) -> Void

  /// Before a file is written.
  package var willAddObject: ObjectBlock?
  /// After a file was written, or could not be.
  package var didAddObject: ObjectBlock?
  /// Before a file is removed.
  package var willRemoveObject: ObjectBlock?
  /// After a file was removed.
  package var didRemoveObject: ObjectBlock?
  /// Before everything is removed.
  package var willRemoveAllObjects: CacheBlock?
  /// After everything was removed.
  package var didRemoveAllObjects: CacheBlock?

  /// No blocks.
  package init() {}
}

/// How a disk cache is made.
package struct PINDiskOptions: Sendable {
  /// The repairs; by default those that the version was shipped with.
  package var changes: PINChanges?
  /// What runs the asynchronous methods.
  package var scheduler: any PINScheduler = PINDispatchScheduler()
  /// Where removed files go; by default the cache's own trash in the root directory.
  package var trash: PINTrash?
  /// The lock over changes and their blocks, if the repairs have one; by default the cache's own.
  package var turn: PINTurn?
  /// What runs the first scan of the directory; by default the private queue in 2.0 and a global
  /// one in 3.0.4.
  package var start: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  /// Called with errors of the file system; the original writes them to the log.
  package var report: @Sendable (PINDiskError) -> Void = { _ in }
  /// Encodes an object for its file.
  package var serialize: @Sendable (_ object: PINObject, _ key: String) -> [UInt8] = { object, _ in
    object.bytes
  }
  /// Decodes an object; throws if the bytes do not encode one.
  package var deserialize: @Sendable (_ bytes: [UInt8], _ key: String) throws -> PINObject = {
    bytes, _ in PINObject(bytes)
  }
  /// How many bytes the files may have together; 0 for no limit. In 3.0.4 only, in 2.0 it is set
  /// later.
  package var byteLimit: UInt = 50 * 1024 * 1024
  /// How many seconds a file lives; 0 forever. In 3.0.4 only, in 2.0 it is set later.
  package var ageLimit: Double = 60 * 60 * 24 * 30
  /// Whether reads hide what is older than its age limit. In 3.0.4 only.
  package var isTTLCache = false
  /// Which file is evicted first. In 3.0.4 only.
  package var evictionStrategy = PINEvictionStrategy.leastRecentlyUsed

  /// The original's defaults.
  package init() {}
}

/// A file of a disk cache, as it is on disk.
package struct PINStoredFile: Sendable, Hashable {
  /// The file's length.
  package var size: UInt
  /// The object's bytes.
  package var value: [UInt8]
}

extension PINFolder {
  /// The files in the directory by key, independent of a cache's records; damaged ones are left
  /// out.
  func storedFiles() -> [String: PINStoredFile] {
    var files: [String: PINStoredFile] = [:]
    for name in exists(path) ? fileNames() : [] {
      guard let bytes = read(path + "/" + name),
        let archive = try? PINArchive.contents(of: bytes)
      else { continue }
      files[archive.key] = PINStoredFile(size: UInt(bytes.count), value: archive.payload)
    }
    return files
  }
}
