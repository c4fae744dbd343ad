// After PINDiskCache.m of PINCache 3.0.4: +sharedTrashQueue, +sharedLock, +sharedTrashURL,
// +moveItemAtURLToTrashOrRemove:, +emptyTrash; also as before pull request 296, and as in 2.0.

import Dispatch
import Foundation
import Interlock

/// Keeps removed files until a low-priority queue deletes them, so that a removal costs one rename.
///
/// The original has one trash for the process, in the folder for temporary files; this trash is in
/// the root directory, so that a rename never crosses file systems.
///
/// `@unchecked Sendable`: `folder` is under `lock`.
final class PINTrash: @unchecked Sendable {
  /// How a trash is emptied while removals continue.
  enum Style: Sendable, Hashable {
    /// As in 2.0: one permanent directory, whose files are deleted one by one.
    case kept
    /// As before pull request 296: the directory is deleted, and the next removal makes another. A
    /// lock guards its name, but not the move into it.
    case replaced
    /// As in 3.0.4: the lock covers the move too, and a file that cannot be moved is deleted.
    case replacedUnderLock
  }

  private let root: String
  private let style: Style
  private let queue = DispatchQueue(
    label: "com.pinterest.PINDiskCache.trash", target: .global(qos: .background))
  private let lock = NSLock()
  private let section = Section("pin.trash")
  private var folder: String?

  init(root: String, style: Style) {
    self.root = root
    self.style = style
  }

  /// Moves a file or a directory into the trash; `false` if it was not moved.
  func take(_ path: String) -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    guard style == .replacedUnderLock else {
      // Before pull request 296 the trash may be emptied, which deletes it, between the read of its
      // name and the move into it; then the move fails, and the file stays. In 2.0 the trash is
      // never deleted.
      let folder = lock.withLock { currentFolder() }
      SYNC_POINT("pintrash.take.afterFolder")
      return move(path, into: folder)
    }
    // Repair: the move is under the lock. The sync point stays before it: a caller held there
    // cannot separate the name from the move.
    SYNC_POINT("pintrash.take.afterFolder")
    let moved = lock.withLock { move(path, into: currentFolder()) }
    return moved || (try? FileManager.default.removeItem(atPath: path)) != nil
  }

  /// Empties the trash later, on the queue.
  func emptyLater() {
    queue.async { self.empty() }
  }

  /// Empties the trash: what the queue does.
  ///
  /// Since 3 it forgets the trash under the lock, so that the next removal makes another, and
  /// deletes the old one without the lock.
  func empty() {
    if style == .kept {
      let folder = lock.withLock { currentFolder() }
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        try? FileManager.default.removeItem(atPath: folder + "/" + name)
      }
      return
    }
    let folder = lock.withLock {
      section.write(synched: true) {
        defer { self.folder = nil }
        return self.folder
      }
    }
    if let folder { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// Under the lock: the trash's directory, created if there is none.
  private func currentFolder() -> String {
    section.write(synched: true) {
      if let folder { return folder }
      let made = root + "/.trash" + (style == .kept ? "" : "-" + UUID().uuidString)
      try? FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
      folder = made
      return made
    }
  }

  private func move(_ path: String, into folder: String) -> Bool {
    let name = folder + "/" + UUID().uuidString
    return (try? FileManager.default.moveItem(atPath: path, toPath: name)) != nil
  }
}
