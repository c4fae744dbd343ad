// After the article on PINCache ("Replacing TMCache with PINCache"), which gives this as a function
// to copy.

import Foundation

/// Moves the files of a TMCache to a PINCache.
package enum PINMigration {
  /// The result for a cache's directory.
  package enum Outcome: Sendable, Hashable {
    /// Its files belong to the new cache.
    case moved
    /// There was none.
    case absent
    /// It could not be moved, and was deleted.
    case deleted
    /// It could neither be moved, or not wholly, nor be deleted.
    case stuck
  }

  /// Renames the directories of TMCache's disk caches to those of PINCache's.
  ///
  /// Both caches read the same files. Where the escapes of a key differ, the file is renamed too. A
  /// file that is no archive stays as it is, and is a miss. Nothing is written, so that a full disk
  /// does no harm.
  ///
  /// Call it before any cache of these names is made: a cache scans its directory once. As in the
  /// article, the old directory is deleted if it cannot be moved, as when an older version of the
  /// application has run since the first migration; and a TMCache that is open has no directory
  /// afterwards, so that its writes are lost. Repaired, the files are moved one by one while no
  /// TMCache of the process writes, the newer file of a key wins, and the old directory stays.
  /// - Parameters:
  ///   - names: The names of the caches, which are the same in both.
  ///   - root: The directory that contains both caches' directories.
  ///   - repaired: Whether it keeps what it cannot move, and what is written meanwhile.
  /// - Returns: The outcome for each name.
  @discardableResult
  package static func migrateDiskCaches(
    named names: [String], root: String, repaired: Bool = false
  ) -> [String: Outcome] {
    var outcomes: [String: Outcome] = [:]
    for name in names {
      let old = TMDiskFiles(root: URL(fileURLWithPath: root), name: name, repairs: [])
        .directory.path
      let new = PINFolder(root: root, name: name) { _ in }
      guard FileManager.default.fileExists(atPath: old) else {
        outcomes[name] = .absent
        continue
      }
      outcomes[name] =
        repaired ? TMDiskCache.sharedQueue.sync { merge(old, into: new) } : replace(old, by: new)
    }
    return outcomes
  }

  private static func replace(_ old: String, by new: PINFolder) -> Outcome {
    let files = FileManager.default
    guard (try? files.moveItem(atPath: old, toPath: new.path)) != nil else {
      return (try? files.removeItem(atPath: old)) != nil ? .deleted : .stuck
    }
    for name in new.fileNames() { adopt(new.path + "/" + name, in: new, replacesNewer: true) }
    return .moved
  }

  private static func merge(_ old: String, into new: PINFolder) -> Outcome {
    _ = new.create()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: old)) ?? []
    var isWhole = true
    for name in names where !name.hasPrefix(".") {
      if !adopt(old + "/" + name, in: new, replacesNewer: false) { isWhole = false }
    }
    return isWhole ? .moved : .stuck
  }

  /// Gives a file the name that its key has in the new cache, or deletes it if a newer file has the
  /// name; `false` if that fails.
  @discardableResult
  private static func adopt(
    _ file: String, in folder: PINFolder, replacesNewer: Bool
  ) -> Bool {
    guard let key = TMArchive.key(head: folder.head(of: file)),
      let path = folder.path(forKey: key), path != file
    else { return true }
    if !replacesNewer, let present = folder.attributes(of: path),
      let own = folder.attributes(of: file), present.modified > own.modified
    {
      return folder.remove(file)
    }
    // One step, so that neither file is lost: `moveItem` does not replace.
    return Foundation.rename(file, path) == 0
  }
}
