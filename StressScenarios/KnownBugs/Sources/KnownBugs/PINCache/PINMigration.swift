import Foundation

/// Moves the files of a TMCache to a PINCache, as a function to copy in the article on PINCache
/// ("Replacing TMCache with PINCache").
///
/// Call it before any PINCache of the name is made: a cache scans its directory once. Both caches
/// read the same files, so that nothing is written, and a full disk does no harm. As in the
/// article, the old directory is renamed, or deleted if that fails, as when an older version of the
/// application has run since the first migration; and a TMCache that is open has no directory
/// afterwards, so that its writes are lost. Repaired, the files are moved one by one while no
/// TMCache of the process writes, the newer file of a key wins, and the old directory stays.
func migrateDiskCache(named name: String, root: String, repaired: Bool) {
  let old = CacheFolder(root: root, prefix: TMDiskCache.prefix, name: name)
  let new = CacheFolder(root: root, prefix: PINDiskOptions.prefix, name: name)
  guard old.exists(old.path) else { return }
  if repaired {
    TMDiskCache.sharedQueue.sync {
      new.create()
      for key in old.keys() { move(key, from: old, to: new) }
    }
  } else if (try? FileManager.default.moveItem(atPath: old.path, toPath: new.path)) == nil {
    _ = old.remove(old.path)
  }
}

private func move(_ key: String, from old: CacheFolder, to new: CacheFolder) {
  let (file, other) = (old.path(forKey: key), new.path(forKey: key))
  if let present = new.attributes(of: other), let own = old.attributes(of: file),
    present.modified > own.modified
  {
    _ = old.remove(file)
  } else {
    // One step, so that neither file is lost: `moveItem` does not replace.
    rename(file, other)
  }
}
