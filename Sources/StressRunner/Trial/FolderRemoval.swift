import CInterlockHarness
import Foundation
import ProcessInspection

/// Removes folders that a hostile process could write to, with any depth, names, permissions, links
/// and mounts.
///
/// Only the content of the folder itself is touched: links are not followed and mounts are not
/// entered. Subfolders are moved up into the folder before they are emptied, so neither the depth
/// nor the length of a path matters.
enum FolderRemoval {
  /// The seconds after which a folder is left behind: a process may still be writing to it.
  private static let patience = 10.0

  /// Empties an open folder. Returns why something is left in it; `nil` if it is empty.
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

  /// Removes the file or folder with this name in an open folder. Returns why it is left; `nil` on
  /// success.
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

  /// Removes a name from `folder`. If it is a non-empty folder, removes its files and moves its
  /// subfolders to `folder`. Returns false, with the reason in `errno`, if none of that was
  /// possible.
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
      // Moving a folder writes to the folder itself, which contains an entry for its parent.
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

  /// Opens a subfolder with permission to change it; -1 for anything else.
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
