import CInterlock
import Foundation
import ProcessInspection

/// Removes folders that a hostile process has had: of any depth, with any names, rights, links and
/// mounts in them.
///
/// Only what is in the folder itself is touched: no link is followed, and nothing that is mounted
/// in it is entered. Folders below are moved up into it before they are emptied, so that neither
/// the depth nor the length of a path matters.
enum FolderRemoval {
  /// A folder with more in it than is removed in this time is left: something may be writing to it
  /// still.
  private static let patience = 10.0

  /// Empties an open folder, and gives the reason where something is left in it.
  static func empty(_ folder: Int32) -> String? {
    let deadline = Platform.now + patience
    var moved = 0
    while Platform.now < deadline {
      fchmod(folder, 0o700)
      let names = FolderListing.names(in: folder)
      if names.isEmpty { return nil }
      var hasRemoved = false
      var reason: Int32 = 0
      for name in names where Platform.now < deadline {
        if remove(name, in: folder, raising: &moved) {
          hasRemoved = true
        } else {
          reason = errno
        }
      }
      if !hasRemoved { return String(cString: strerror(reason)) }
    }
    return "it takes more than \(Int(patience)) s"
  }

  /// Removes what has this name in an open folder, be it a folder or not, and gives the reason
  /// where it is left.
  static func remove(_ name: [CChar], in parent: Int32) -> String? {
    if unlinkat(parent, name, 0) == 0 || errno == ENOENT { return nil }
    let folder = open(name, in: parent)
    if folder >= 0 {
      let reason = empty(folder)
      close(folder)
      if let reason { return reason }
    }
    if unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return nil }
    return String(cString: strerror(errno))
  }

  /// Removes a name from `folder`; of a folder that is not empty, removes what is in it but the
  /// folders, which are moved to `folder`. Returns false, with the reason in `errno`, where nothing
  /// of that could be done.
  private static func remove(
    _ name: [CChar], in folder: Int32, raising moved: inout Int
  ) -> Bool {
    if unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0 { return true }
    let inner = open(name, in: folder)
    guard inner >= 0 else { return false }
    defer { close(inner) }
    var hasRemoved = false
    var reason: Int32 = 0
    for below in FolderListing.names(in: inner) {
      if unlinkat(inner, below, 0) == 0 || unlinkat(inner, below, AT_REMOVEDIR) == 0 {
        hasRemoved = true
        continue
      }
      // A folder is written to where it moves, since its parent stands in it.
      fchmodat(inner, below, 0o700, AT_SYMLINK_NOFOLLOW)
      moved += 1
      if renameat(inner, below, folder, "\(moved)-moved") == 0 {
        hasRemoved = true
      } else {
        reason = errno
      }
    }
    if unlinkat(folder, name, AT_REMOVEDIR) == 0 { return true }
    errno = hasRemoved ? errno : reason
    return hasRemoved
  }

  /// Opens a folder in another, with the right to change it; -1 for anything else.
  private static func open(_ name: [CChar], in parent: Int32) -> Int32 {
    var descriptor = interlock_open_folder(parent, name)
    if descriptor < 0, errno == EACCES {
      fchmodat(parent, name, 0o700, AT_SYMLINK_NOFOLLOW)
      descriptor = interlock_open_folder(parent, name)
    }
    if descriptor >= 0 { fchmod(descriptor, 0o700) }
    return descriptor
  }
}
