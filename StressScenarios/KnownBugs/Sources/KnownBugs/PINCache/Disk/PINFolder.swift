// After PINDiskCache.m of PINCache 3.0.4: -encodedFileURLForKey:, -keyForEncodedFileURL:,
// -defaultKeyEncoder, -defaultKeyDecoder, +cacheURLWithRootPath:prefix:name:.

import Foundation

/// An error of the file system in a disk cache. The original writes it to the log and continues.
package struct PINDiskError: Error, Sendable, CustomStringConvertible {
  /// The operation that failed, and its file.
  package var description: String

  init(_ what: String, _ path: String, _ error: any Error) {
    description = "\(what) \(path): \(error)"
  }
}

/// The directory of a disk cache, and the names of the files in it.
struct PINFolder: Sendable {
  /// The prefix of a disk cache's directory, before the cache's name.
  static let prefix = "com.pinterest.PINDiskCache"
  /// The longest name that the usual file systems take.
  private static let longestName = 255
  /// How the file name of a too long key begins: no percent-encoded key begins so.
  private static let hashMark = "%~"

  let path: String
  let report: @Sendable (PINDiskError) -> Void

  init(root: String, name: String, report: @escaping @Sendable (PINDiskError) -> Void) {
    // The name must not lead out of the root.
    path = root + "/" + Self.prefix + "." + Self.encode(name)
    self.report = report
  }

  // MARK: Names

  /// The path of a key's file; `nil` for the empty key, which has none.
  func path(forKey key: String) -> String? {
    guard !key.isEmpty else { return nil }
    let name = Self.encode(key)
    return path + "/" + (name.utf8.count <= Self.longestName ? name : Self.hash(key))
  }

  /// The key of a file: decoded from its name, or read from the file if the name is a hash;
  /// `nil` if neither gives one.
  func key(ofFile name: String) -> String? {
    if name.hasPrefix(Self.hashMark) {
      return PINArchive.key(head: head(of: path + "/" + name))
    }
    return name.removingPercentEncoding
  }

  /// Percent-encodes what a file name must not contain: the original's `.:/%`, and control
  /// characters.
  static func encode(_ key: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var name: [UInt8] = []
    for byte in key.utf8 {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "%"),
        0..<0x20, 0x7F:
        name += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default:
        name.append(byte)
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The name of a key that is too long for a file name: two hashes. (The file contains the key,
  /// and a read compares it.) The original's write fails for such a name, and the object is lost.
  private static func hash(_ key: String) -> String {
    let bytes = Array(key.utf8)
    let hashes = [PINArchive.checksum(bytes), PINArchive.checksum(bytes.reversed())]
    return hashMark + hashes.map { String($0, radix: 16) }.joined(separator: "-")
  }

  // MARK: Files

  func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: file) }

  /// Makes the directory; `false` if it cannot be made, or was there.
  func create() -> Bool {
    if exists(path) { return false }
    return attempt("make", path) {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }

  /// The names of the files that are not hidden: a write under way uses a hidden file.
  func fileNames() -> [String] {
    var names: [String] = []
    attempt("list", path) { names = try FileManager.default.contentsOfDirectory(atPath: path) }
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  /// A file's bytes; `nil` if there is none, or it cannot be read.
  func read(_ file: String) -> [UInt8]? {
    FileManager.default.contents(atPath: file).map { [UInt8]($0) }
  }

  /// Writes a file atomically, by a temporary file and a rename.
  func write(_ bytes: [UInt8], to file: String) -> Bool {
    attempt("write", file) {
      try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
  }

  func remove(_ file: String) -> Bool {
    attempt("remove", file) { try FileManager.default.removeItem(atPath: file) }
  }

  /// A file's length and modification date; `nil` if there is none. (The original counts its
  /// allocated blocks, which differ from one file system to the next.)
  func attributes(of file: String) -> (size: UInt, modified: Date)? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      let size = attributes[.size] as? Int, let modified = attributes[.modificationDate] as? Date
    else { return nil }
    return (UInt(size), modified)
  }

  func setModificationDate(_ date: Date, of file: String) -> Bool {
    attempt("date", file) {
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }
  }

  /// The first bytes of a file: the head and a key of any length that a file may have.
  func head(of file: String) -> [UInt8] {
    guard let handle = FileHandle(forReadingAtPath: file) else { return [] }
    defer { try? handle.close() }
    return [UInt8]((try? handle.read(upToCount: PINArchive.headSize + 65536)) ?? Data())
  }

  @discardableResult
  func attempt(_ what: String, _ file: String, _ work: () throws -> Void) -> Bool {
    do {
      try work()
      return true
    } catch {
      report(PINDiskError(what, file, error))
      return false
    }
  }
}
