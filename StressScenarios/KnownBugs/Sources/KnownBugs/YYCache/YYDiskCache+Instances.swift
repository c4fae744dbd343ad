import Interlock

/// `_YYDiskCacheGetGlobal` and `_YYDiskCacheSetGlobal`.
private let diskCaches = WeakInstances<YYDiskCache>()

extension YYDiskCache {
  /// The open cache of a folder, or a new one.
  ///
  /// As `initWithPath:inlineThreshold:` of version 1.0.4: look-up, creation and entry are three
  /// steps, each with a lock of its own at most, and the path is taken as written. So two threads,
  /// or two spellings of a path, get two caches, each with its own connection to one database.
  /// - Throws: If there is no SQLite, or the folder or the database cannot be used.
  static func open(
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

  /// Repaired: one step, by the resolved path.
  private static func openShared(
    _ path: String, _ options: Options
  ) throws(YYStorageError) -> YYDiskCache {
    let canonical = try canonicalPath(path)
    SYNC_POINT("yydiskcache.open.notFound")
    return try diskCaches.instance(for: canonical) { () throws(YYStorageError) in
      try YYDiskCache(canonical, options)
    }
  }

  /// The resolved path of a folder, which is made if it is missing.
  static func canonicalPath(_ path: String) throws(YYStorageError) -> String {
    do throws(SystemFiles.Failure) {
      try SystemFiles.makeFolder(path)
    } catch {
      throw .folder(path: path, reason: error.message)
    }
    return SystemFiles.canonical(path) ?? path
  }
}
