// After the article on PINCache ("Replacing TMCache with PINCache"), which gives this as a function
// to copy.

import Foundation

/// Moves the files of a TMCache to a PINCache.
package enum PINMigration {
  /// The result for a cache's directory.
  package enum Outcome: Sendable, Hashable {
    /// It was moved, and belongs to the new cache.
    case moved
    /// There was none.
    case absent
    /// It could not be moved, and was deleted.
    case deleted
    /// It could neither be moved nor be deleted.
    case stuck
  }

  /// Renames the directories of TMCache's disk caches to those of PINCache's, and writes their
  /// files anew.
  ///
  /// The original only renames: `NSKeyedArchiver` and the escapes of keys are the same in both.
  /// Here the two formats differ, so every file is read, and written under PINCache's name and in
  /// its format, with its old date. A file that is no archive stays as it is, and is a miss.
  ///
  /// Call it before any cache of these names is made: a cache scans its directory once. If the new
  /// cache has a directory already, the old one is deleted.
  /// - Parameters:
  ///   - names: The names of the caches, which are the same in both.
  ///   - root: The directory that contains both caches' directories.
  /// - Returns: The outcome for each name.
  @discardableResult
  package static func migrateDiskCaches(named names: [String], root: String) -> [String: Outcome] {
    var outcomes: [String: Outcome] = [:]
    for name in names {
      let old = TMDiskFiles(root: URL(fileURLWithPath: root), name: name, repairs: [])
      let new = PINFolder(root: root, name: name) { _ in }
      outcomes[name] = move(old.directory.path, to: new)
    }
    return outcomes
  }

  private static func move(_ old: String, to new: PINFolder) -> Outcome {
    let files = FileManager.default
    guard files.fileExists(atPath: old) else { return .absent }
    guard (try? files.moveItem(atPath: old, toPath: new.path)) != nil else {
      return (try? files.removeItem(atPath: old)) != nil ? .deleted : .stuck
    }
    for name in new.fileNames() { rewrite(new.path + "/" + name, in: new) }
    return .moved
  }

  private static func rewrite(_ file: String, in folder: PINFolder) {
    guard let bytes = folder.read(file), let found = try? TMArchive(bytes),
      let modified = folder.attributes(of: file)?.modified,
      let path = folder.path(forKey: found.key)
    else { return }
    let archive = PINArchive(key: found.key, created: modified, payload: found.value)
    guard folder.write(archive.bytes, to: path) else { return }
    _ = folder.setModificationDate(modified, of: path)
    if path != file { _ = folder.remove(file) }
  }
}
