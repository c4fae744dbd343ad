// After the article on PINCache ("Replacing TMCache with PINCache"), which gives this as a function to copy.

import Foundation

/// Brings the files of a TMCache over to a PINCache.
public enum PINMigration {
  /// What became of a cache's directory.
  public enum Outcome: Sendable, Hashable {
    /// It is the new cache's now.
    case moved
    /// There was none.
    case absent
    /// It could not be moved, and was deleted.
    case deleted
    /// It could neither be moved nor be deleted.
    case stuck
  }

  /// Renames the directories of TMCache's disk caches to those of PINCache's; a file's name is the same in both.
  ///
  /// To be called before any cache of these names is made: a cache looks at its directory once. Where the new cache
  /// has a directory already, the old one is deleted.
  /// - Returns: What became of each.
  @discardableResult
  public static func migrateDiskCaches(named names: [String], root: String) -> [String: Outcome] {
    var outcomes: [String: Outcome] = [:]
    for name in names {
      let encoded = PINFolder.encode(name)
      outcomes[name] = move(
        root + "/com.tumblr.TMDiskCache." + encoded,
        to: root + "/" + PINFolder.prefix + "." + encoded)
    }
    return outcomes
  }

  private static func move(_ old: String, to new: String) -> Outcome {
    let files = FileManager.default
    guard files.fileExists(atPath: old) else { return .absent }
    if (try? files.moveItem(atPath: old, toPath: new)) != nil { return .moved }
    return (try? files.removeItem(atPath: old)) != nil ? .deleted : .stuck
  }
}
