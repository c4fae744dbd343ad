import Interlock

/// `_YYDiskCacheGetGlobal` and `_YYDiskCacheSetGlobal`.
private let diskCaches = WeakInstances<YYDiskCache>()

extension YYDiskCache {
  /// The cache of a folder: the one that is open, or a new one.
  ///
  /// As `initWithPath:inlineThreshold:` of version 1.0.4: looks, makes and notes in three steps,
  /// each of which alone is under a lock, and takes the path as it is written. So two threads, or
  /// two ways to write a path, get two caches, and each has a connection of its own to the one
  /// database.
  /// - Throws: If there is no SQLite, or the folder or the database cannot be used.
  package static func open(
    _ path: String, _ options: Options = .init()
  ) throws(YYStorageError) -> YYDiskCache {
    if options.repairs.contains(.sharesOneInstance) {
      return try openShared(path, options)
    }
    if let cache = diskCaches[path] { return cache }
    SYNC_POINT("yydiskcache.open.notFound")
    let cache = try YYDiskCache(path, options)
    diskCaches[path] = cache
    return cache
  }

  /// Repaired: one step, and by the path that the system resolves it to.
  private static func openShared(
    _ path: String, _ options: Options
  ) throws(YYStorageError) -> YYDiskCache {
    let canonical = try canonicalPath(path)
    SYNC_POINT("yydiskcache.open.notFound")
    return try diskCaches.instance(for: canonical) { () throws(YYStorageError) in
      try YYDiskCache(canonical, options)
    }
  }

  /// The path of a folder, which is made where there is none, as the system resolves it.
  static func canonicalPath(_ path: String) throws(YYStorageError) -> String {
    do throws(SystemFiles.Failure) {
      try SystemFiles.makeFolder(path)
    } catch {
      throw .folder(path: path, reason: error.message)
    }
    return SystemFiles.canonical(path) ?? path
  }
}
