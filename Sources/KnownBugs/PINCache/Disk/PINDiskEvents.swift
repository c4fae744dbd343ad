/// The six blocks of a disk cache, and the types of its completions.
///
/// In 2.0 a block is also given the file's path; it runs under the lock, so the file is there.
public struct PINDiskEvents<Owner: Sendable>: Sendable {
  /// Told of one key; `path` is the file's, `nil` where none was written.
  public typealias ObjectBlock =
    @Sendable (
      _ cache: Owner, _ key: String, _ object: PINObject?, _ path: String?
    ) -> Void
  /// Told of the whole cache.
  public typealias CacheBlock = @Sendable (_ cache: Owner) -> Void

  /// Before a file is written.
  public var willAddObject: ObjectBlock?
  /// After a file was written, or could not be.
  public var didAddObject: ObjectBlock?
  /// Before a file is removed.
  public var willRemoveObject: ObjectBlock?
  /// After a file was removed.
  public var didRemoveObject: ObjectBlock?
  /// Before everything is removed.
  public var willRemoveAllObjects: CacheBlock?
  /// After everything was removed.
  public var didRemoveAllObjects: CacheBlock?

  /// No blocks.
  public init() {}
}

/// How a disk cache is made.
public struct PINDiskOptions: Sendable {
  /// What was repaired; what the version was shipped with, unless something else is said.
  public var changes: PINChanges?
  /// What runs the asynchronous methods.
  public var scheduler: any PINScheduler = PINDispatchScheduler()
  /// Where removed files go; a trash of the cache's own, in the root directory, unless something
  /// else is said.
  public var trash: PINTrash?
  /// What runs the first look at the directory: in 2.0 the private queue, in 3.0.4 a global one,
  /// unless something else is said.
  public var start: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  /// Told of what the file system would not do; the original writes it to the log.
  public var report: @Sendable (PINDiskError) -> Void = { _ in }
  /// What an object is on disk.
  public var serialize: @Sendable (_ object: PINObject, _ key: String) -> [UInt8] = { object, _ in
    object.bytes
  }
  /// The object again; throws where the bytes are none.
  public var deserialize: @Sendable (_ bytes: [UInt8], _ key: String) throws -> PINObject = {
    bytes, _ in PINObject(bytes)
  }
  /// How many bytes the files may have together; 0 for no limit. In 3.0.4 only, in 2.0 it is set
  /// later.
  public var byteLimit: UInt = 50 * 1024 * 1024
  /// How many seconds a file lives; 0 for ever. In 3.0.4 only, in 2.0 it is set later.
  public var ageLimit: Double = 60 * 60 * 24 * 30
  /// Whether reads hide what is older than its age limit. In 3.0.4 only.
  public var isTTLCache = false
  /// What is evicted first. In 3.0.4 only.
  public var evictionStrategy = PINEvictionStrategy.leastRecentlyUsed

  /// The original's defaults.
  public init() {}
}

/// A file of a disk cache, as it is on disk.
public struct PINStoredFile: Sendable, Hashable {
  /// The file's length.
  public var size: UInt
  /// The object's bytes.
  public var value: [UInt8]
}

extension PINFolder {
  /// The files that are there, by key, whatever a cache thinks of them; damaged ones are left out.
  func storedFiles() -> [String: PINStoredFile] {
    var files: [String: PINStoredFile] = [:]
    for name in exists(path) ? fileNames() : [] {
      guard let bytes = read(path + "/" + name), let archive = try? PINArchive(bytes) else {
        continue
      }
      files[archive.key] = PINStoredFile(size: UInt(bytes.count), value: archive.payload)
    }
    return files
  }
}
