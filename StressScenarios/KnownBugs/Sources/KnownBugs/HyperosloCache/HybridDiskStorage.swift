import Foundation
import Interlock

/// Objects in files, whose dates of modification say when they expire: DiskStorage.swift of
/// hyperoslo's Cache 7.4.0.
///
/// It locks nothing. Each call of the file system is atomic by itself; faults come from what
/// happens between two of them, above all between writing a file and setting its date: until then
/// the file counts as expired.
///
/// A file is named by the digest of its key and the key's extension, so that no key names a file
/// outside the directory. The original takes an extension of any length; here one that a file
/// system might refuse is left out.
final class HybridDiskStorage<Value: Sendable>: Sendable {
  /// The directory.
  let path: String
  let expiry: HybridExpiry
  /// Bytes that the files may have together after `removeExpiredObjects`; zero is no limit.
  let maximumSize: Int
  private let transformer: HybridTransformer<Value>

  /// Opens a directory, and creates it if it is missing.
  ///
  /// - Parameters:
  ///   - directory: The directory, which nothing else may use.
  ///   - expiry: The expiry of objects stored without one.
  ///   - maximumSize: When the files are larger together, `removeExpiredObjects` removes those that
  ///     expire first, down to half of it; bytes, and zero is no limit.
  ///   - transformer: How objects become bytes.
  /// - Throws: Foundation's error, if the directory cannot be made.
  convenience init(
    directory: URL, expiry: HybridExpiry = .never, maximumSize: Int = 0,
    transformer: HybridTransformer<Value>
  ) throws {
    self.init(
      path: directory.path, expiry: expiry, maximumSize: maximumSize, transformer: transformer)
    try createDirectory()
  }

  private init(
    path: String, expiry: HybridExpiry, maximumSize: Int, transformer: HybridTransformer<Value>
  ) {
    self.path = path
    self.expiry = expiry
    self.maximumSize = maximumSize
    self.transformer = transformer
  }

  /// The same files, read and written as other objects.
  func transformed<Other: Sendable>(
    _ transformer: HybridTransformer<Other>
  ) -> HybridDiskStorage<Other> {
    HybridDiskStorage<Other>(
      path: path, expiry: expiry, maximumSize: maximumSize, transformer: transformer)
  }

  func entry(forKey key: String) throws -> HybridEntry<Value> {
    let file = path(forKey: key)
    guard FileManager.default.fileExists(atPath: file) else { throw HybridStorageError.notFound }
    let data = try Data(contentsOf: URL(fileURLWithPath: file, isDirectory: false))
    guard let object = try transformer.object(Array(data)) else {
      throw HybridStorageError.decodingFailed(path: file)
    }
    return HybridEntry(object: object, expiry: .date(try expiryDate(of: file)), filePath: file)
  }

  func setObject(_ object: Value, forKey key: String, expiry: HybridExpiry?) throws {
    let date = (expiry ?? self.expiry).date
    let file = path(forKey: key)
    let data = Data(try transformer.bytes(object))
    guard FileManager.default.createFile(atPath: file, contents: data) else {
      throw HybridStorageError.writeFailed(path: file)
    }
    SYNC_POINT("hybriddiskstorage.setObject.beforeDate")
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
  }

  /// Removes an object.
  ///
  /// - Returns: The path of the removed file.
  /// - Throws: Foundation's error, if there is none.
  func removeObject(forKey key: String) throws -> String {
    let file = path(forKey: key)
    try FileManager.default.removeItem(atPath: file)
    return file
  }

  func removeAll() throws {
    try FileManager.default.removeItem(atPath: path)
    try createDirectory()
  }

  /// Removes expired files; then, if too much is left, those that expire first.
  ///
  /// - Parameter removed: Called with the path of each file that was removed.
  /// - Throws: Foundation's error, if a file has gone meanwhile: the rest is then left.
  func removeExpiredObjects(removed: (String) -> Void) throws {
    var expired: [String] = []
    var others: [(path: String, date: Date, size: Int)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let file = "\(path)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      let date = attributes[.modificationDate] as? Date ?? .distantFuture
      if date.timeIntervalSinceNow < 0 {
        expired.append(file)
      } else {
        others.append((file, date, attributes[.size] as? Int ?? 0))
      }
    }
    SYNC_POINT("hybriddiskstorage.removeExpiredObjects.beforeRemoval")
    for file in expired {
      try FileManager.default.removeItem(atPath: file)
      removed(file)
    }
    var size = others.reduce(0) { $0 + $1.size }
    guard maximumSize > 0, size > maximumSize else { return }
    for file in others.sorted(by: { $0.date < $1.date }) {
      try FileManager.default.removeItem(atPath: file.path)
      removed(file.path)
      size -= file.size
      if size < maximumSize / 2 { break }
    }
  }

  /// The size of all files together; bytes.
  var totalSize: Int {
    fileNames.reduce(0) { size, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      return size + (attributes?[.size] as? Int ?? 0)
    }
  }

  /// The files that are there.
  var fileNames: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// The name of a key's file.
  func fileName(forKey key: String) -> String {
    let end = key.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let parts = end.split(separator: ".", omittingEmptySubsequences: false)
    let name = KeyDigest.hexadecimal(key)
    guard parts.count > 1, let suffix = parts.last, (1...16).contains(suffix.utf8.count),
      suffix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
    else { return name }
    return "\(name).\(suffix)"
  }

  private func path(forKey key: String) -> String { "\(path)/\(fileName(forKey: key))" }

  private func expiryDate(of file: String) throws -> Date {
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    guard let date = attributes[.modificationDate] as? Date else {
      throw HybridStorageError.malformedFileAttributes(path: file)
    }
    return date
  }

  private func createDirectory() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
}
