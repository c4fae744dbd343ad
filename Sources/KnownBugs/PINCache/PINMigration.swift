// After the article on PINCache ("Replacing TMCache with PINCache"), which gives this as a function
// to copy.

import Foundation

/// Brings the files of a TMCache over to a PINCache.
package enum PINMigration {
  /// What became of a cache's directory.
  package enum Outcome: Sendable, Hashable {
    /// It is the new cache's now.
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
  /// Here each has a form of its own, so that every file is read, and written under the name and in
  /// the form that PINCache looks for, with the date that it had. What is no archive stays as it
  /// is, and is a miss.
  ///
  /// To be called before any cache of these names is made: a cache looks at its directory once.
  /// Where the new cache has a directory already, the old one is deleted.
  /// - Parameters:
  ///   - names: The names of the caches, which are the same in both.
  ///   - root: The directory that both have theirs in.
  /// - Returns: What became of each.
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
