internal import Dispatch
internal import Foundation
import Interlock

/// The files of one cache: a directory for the objects, and the trash of all caches under its root.
///
/// Follows `createCacheDirectory`, `initializeDiskProperties`, `moveItemAtURLToTrash:` and
/// `emptyTrash` of TMDiskCache.m (TMCache 2.1.0). The original has one trash for the process, in
/// the folder for temporary files; here no file outside the root is touched. It locks nothing.
struct TMDiskFiles: Sendable {
  /// A file that a scan found.
  struct Found {
    var key: String
    var size: Int
    var date: Date
  }

  /// The prefix of a disk cache's directory, before the cache's name.
  static let prefix = "com.tumblr.TMDiskCache"

  let directory: URL
  let trash: URL
  let repairs: TMRepairs

  /// Empties every trash of the process, at background priority.
  private static let trashQueue = DispatchQueue(
    label: "tmcache.disk.trash", target: .global(qos: .background))

  init(root: URL, name: String, repairs: TMRepairs) {
    directory = root.appendingPathComponent(
      Self.prefix + "." + TMDiskKeys.fileName(for: name), isDirectory: true)
    // As in the original, the prefix alone: a cache's own directory has its name after it.
    trash = root.appendingPathComponent(Self.prefix, isDirectory: true)
    self.repairs = repairs
  }

  func url(forKey key: String) -> URL {
    directory.appendingPathComponent(TMDiskKeys.fileName(for: key), isDirectory: false)
  }

  /// Makes the directory of the cache, if it is missing.
  func createDirectory() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Makes the trash, if it is missing.
  func createTrash() throws {
    try FileManager.default.createDirectory(at: trash, withIntermediateDirectories: true)
  }

  /// The existing files, without those that are not the cache's.
  func scan() throws -> [Found] {
    let properties: [URLResourceKey] = [.contentModificationDateKey, .fileSizeKey]
    let urls = try FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: properties, options: .skipsHiddenFiles)
    return urls.compactMap { url in
      let key =
        TMDiskKeys.key(for: url.lastPathComponent) ?? read(url).flatMap { try? TMArchive($0).key }
      guard let key, self.url(forKey: key).lastPathComponent == url.lastPathComponent,
        let values = try? url.resourceValues(forKeys: Set(properties)),
        let size = values.fileSize, let date = values.contentModificationDate
      else { return nil }
      return Found(key: key, size: size, date: date)
    }
  }

  func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  /// The bytes of a file; `nil` if it cannot be read.
  func read(_ url: URL) -> [UInt8]? { (try? Data(contentsOf: url)).map { [UInt8]($0) } }

  /// Writes a file atomically, by a temporary file and a rename.
  func write(_ bytes: [UInt8], to url: URL, at date: Date) throws {
    // A dot is escaped in every key, so no key has this name, and a scan skips it.
    let draft = directory.appendingPathComponent("." + UUID().uuidString, isDirectory: false)
    do {
      try Data(bytes).write(to: draft)
      try setDate(date, of: draft)
      SYNC_POINT("tmdiskcache.write.beforeRename")
      guard rename(draft.path, url.path) == 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
      }
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
  }

  func setDate(_ date: Date, of url: URL) throws {
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
  }

  func delete(_ url: URL) throws { try FileManager.default.removeItem(at: url) }

  /// Moves a file or a directory to the trash; as shipped the only way to remove one.
  func moveToTrash(_ url: URL) throws {
    let place = trash.appendingPathComponent(UUID().uuidString)
    do {
      try FileManager.default.moveItem(at: url, to: place)
    } catch {
      guard repairs.contains(.removesWithoutTrash) else { throw error }
      try? createTrash()
      try FileManager.default.removeItem(at: url)
    }
  }

  /// Deletes the contents of the trash, later on another queue.
  func emptyTrash() {
    let trash = trash
    Self.trashQueue.async {
      let items = try? FileManager.default.contentsOfDirectory(
        at: trash, includingPropertiesForKeys: nil)
      for item in items ?? [] { try? FileManager.default.removeItem(at: item) }
    }
  }
}
