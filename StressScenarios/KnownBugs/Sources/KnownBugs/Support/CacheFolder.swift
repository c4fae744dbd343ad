import Foundation

/// The directory of a disk cache, with a file for each key. Errors of the file system are ignored:
/// the originals write them to the log, and continue.
struct CacheFolder: Sendable {
  let path: String

  /// The directory of a name, which must not lead out of the root.
  init(root: String, prefix: String, name: String) {
    path = root + "/" + prefix + "." + FileName.escaping(name)
  }

  init(path: String) { self.path = path }

  func path(forKey key: String) -> String { path + "/" + FileName.escaping(key) }

  func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }

  /// Makes the directory if it is missing.
  func create() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The keys of the files; a write under way uses a hidden file.
  func keys() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().compactMap(FileName.key(of:))
  }

  /// A file's bytes; `nil` if there is none, or it cannot be read.
  func read(_ file: String) -> [UInt8]? {
    FileManager.default.contents(atPath: file).map { [UInt8]($0) }
  }

  /// Writes a file atomically, by a temporary file and a rename; returns whether it did. Without a
  /// date the file has the system's, which on Linux is exact to a few milliseconds only.
  func write(
    _ bytes: [UInt8], to file: String, at date: Date? = nil, beforeRename: () -> Void = {}
  ) -> Bool {
    // A dot is escaped in every key, so no key has this name.
    let draft = path + "/." + UUID().uuidString
    if (try? Data(bytes).write(to: URL(fileURLWithPath: draft))) != nil {
      if let date { _ = setDate(date, of: draft) }
      beforeRename()
      if rename(draft, file) == 0 { return true }
    }
    _ = remove(draft)
    return false
  }

  func remove(_ file: String) -> Bool {
    (try? FileManager.default.removeItem(atPath: file)) != nil
  }

  /// A file's length and modification date; `nil` if there is none. (The originals count its
  /// allocated blocks, which differ from one file system to the next.)
  func attributes(of file: String) -> (size: Int, modified: Date)? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      let size = attributes[.size] as? Int, let modified = attributes[.modificationDate] as? Date
    else { return nil }
    return (size, modified)
  }

  /// Sets a file's modification date; returns whether there is such a file.
  func setDate(_ date: Date, of file: String) -> Bool {
    (try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)) != nil
  }

  /// The files in the directory by key, independent of a cache's records; damaged ones are left
  /// out.
  func storedFiles() -> [String: (size: Int, value: [UInt8])] {
    var files: [String: (size: Int, value: [UInt8])] = [:]
    for key in keys() {
      guard let bytes = read(path(forKey: key)), let value = Archive.value(in: bytes) else {
        continue
      }
      files[key] = (bytes.count, value)
    }
    return files
  }
}
