package import Foundation
import Interlock
import Synchronization

/// Files by key, each with the date at which it expires, and an index that saves file look-ups.
///
/// Follows Tusker's `DiskCache` of April 2021, which is hyperoslo Cache's `DiskStorage` with the
/// index of the seed article: `createFile`, then the expiry as the file's modification date, then
/// the state. One file for each key; no lock around file and index together.
package final class ImageDiskCache: Sendable {
  /// How the cache records which files exist.
  package enum Index: Sendable {
    /// Tusker's: a state for each file that was ever asked for.
    case fileStates
    /// Kingfisher's: a set of names, filled by a scan of the folder that `scan(completion:)`
    /// starts.
    case maybeCached
  }

  /// The folder; every file in it whose name does not begin with a dot belongs to the cache.
  package let directory: URL
  private let index: any FileIndex
  private let expiry: CacheExpiry
  private let now: CacheClock
  /// Part of the fix: makes each change of a file and of the index one step. As shipped, a file
  /// stored between a removal's deletion and its note in the index is lost. `nil` as shipped.
  private let writers: NSLock?
  // Relaxed: it only counts.
  private let lookUps = Atomic(0)

  /// Opens the cache in a folder, which is made if it is missing.
  ///
  /// - Throws: A Foundation error if the folder cannot be made, or is a file.
  package init(
    directory: URL, expiry: CacheExpiry = .never, index: Index = .fileStates, repaired: Bool,
    now: @escaping CacheClock = { Date() }
  ) throws {
    self.directory = directory
    self.expiry = expiry
    self.now = now
    writers = repaired ? NSLock() : nil
    self.index =
      switch index {
      case .fileStates: FileStates(repaired: repaired)
      case .maybeCached: MaybeCachedNames(repaired: repaired)
      }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// How often the file system was asked whether a file exists.
  package var lookUpCount: Int { lookUps.load(ordering: .relaxed) }

  /// Has the index scan the folder on a global queue, if it is of the kind that scans; Kingfisher
  /// does so when it opens the cache. `completion` is called once the index has the result.
  package func scan(completion: @escaping @Sendable () -> Void) {
    index.scan({ [self] in try? listing() }, completion: completion)
  }

  private func changing<R>(_ body: () throws -> R) rethrows -> R {
    writers?.lock()
    defer { writers?.unlock() }
    return try body()
  }

  /// Stores data in a file atomically.
  ///
  /// - Throws: A Foundation error if the file cannot be written; the key's old data is then
  ///   removed.
  package func set(_ data: [UInt8], forKey key: String) throws {
    try changing {
      let name = CacheFileName(key: key).name
      do {
        try Data(data).write(to: url(name), options: .atomic)
        if let deadline = expiry.deadline(from: now()) {
          try FileManager.default.setAttributes(
            [.modificationDate: deadline], ofItemAtPath: url(name).path)
        }
      } catch {
        // No read may take an older value, or one without its date, for this one.
        try? FileManager.default.removeItem(at: url(name))
        index.removed(name)
        throw error
      }
      index.stored(name)
    }
  }

  /// The data under a key; `nil` if there is none, or it has expired, or cannot be read.
  package func data(forKey key: String) -> [UInt8]? {
    let name = CacheFileName(key: key).name
    guard mayExist(name) else { return nil }
    guard !hasExpired(name), let data = try? Data(contentsOf: url(name)) else { return nil }
    return [UInt8](data)
  }

  /// Whether there is data under a key that has not expired. Asks the file system only if the index
  /// does not know, and for the date if files expire.
  package func has(_ key: String) -> Bool {
    let name = CacheFileName(key: key).name
    return mayExist(name) && !hasExpired(name)
  }

  /// Whether the index knows the file, without asking the file system.
  func isKnownToHave(_ key: String) -> Bool {
    index.isKnownToExist(CacheFileName(key: key).name)
  }

  /// Removes the data under a key, if there is any.
  ///
  /// - Throws: A Foundation error if the file is there and cannot be removed.
  package func remove(forKey key: String) throws {
    try changing { try removeFile(CacheFileName(key: key).name) }
  }

  /// Removes everything.
  ///
  /// - Throws: A Foundation error if a file cannot be removed.
  package func removeAll() throws {
    try changing {
      for name in try listing() { try delete(name) }
      index.removedAll()
    }
  }

  /// Removes expired files.
  ///
  /// - Throws: A Foundation error if a file cannot be removed.
  package func removeExpired() throws {
    try changing {
      for name in try listing() where hasExpired(name) { try removeFile(name) }
    }
  }

  private func removeFile(_ name: String) throws {
    try delete(name)
    index.removed(name)
  }

  private func delete(_ name: String) throws {
    do {
      try FileManager.default.removeItem(at: url(name))
    } catch CocoaError.fileNoSuchFile {
      // The file is already gone.
    }
  }

  // MARK: Files

  private func url(_ name: String) -> URL {
    // `isDirectory` saves asking the file system, which cost Tusker most of its scrolling time.
    directory.appendingPathComponent(name, isDirectory: false)
  }

  private func mayExist(_ name: String) -> Bool {
    index.mayExist(name) {
      lookUps.wrappingAdd(1, ordering: .relaxed)
      return FileManager.default.fileExists(atPath: url(name).path)
    }
  }

  private func hasExpired(_ name: String) -> Bool {
    if case .never = expiry { return false }
    guard
      let attributes = try? FileManager.default.attributesOfItem(atPath: url(name).path),
      let deadline = attributes[.modificationDate] as? Date
    else { return false }
    return deadline <= now()
  }

  private func listing() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { !$0.hasPrefix(".") }
  }

  // MARK: For checks after all calls have ended

  /// The names of all files.
  package func fileNames() throws -> Set<String> { Set(try listing()) }

  /// The names of the files that the index knows.
  package func indexedFileNames() throws -> Set<String> { try fileNames().filter(mayExist) }

  /// The name of a key's file.
  package static func fileName(forKey key: String) -> String { CacheFileName(key: key).name }
}
