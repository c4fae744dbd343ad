import Foundation
import Interlock
import Synchronization

/// Files by key, and an index that saves file look-ups.
///
/// Follows Tusker's `DiskCache` of April 2021, which is hyperoslo Cache's `DiskStorage` with the
/// index of the seed article: the file, then its state. One file for each key; no lock around file
/// and index together. Errors of the file system are ignored.
final class ImageDiskCache: Sendable {
  /// How the cache records which files exist.
  enum Index: Sendable {
    /// Tusker's: a state for each file that was ever asked for.
    case fileStates
    /// Kingfisher's: a set of names, filled by a scan of the folder that `scan(completion:)`
    /// starts.
    case maybeCached
  }

  /// The folder; every file in it whose name does not begin with a dot belongs to the cache.
  private let directory: URL
  private let index: any FileIndex
  /// Part of the fix: makes each change of a file and of the index one step. As shipped, a file
  /// stored between a removal's deletion and its note in the index is lost. `nil` as shipped.
  private let writers: NSLock?
  // Relaxed: it only counts.
  private let lookUps = Atomic(0)

  /// Opens the cache in a folder, which is made if it is missing.
  init(directory: URL, index: Index = .fileStates, repaired: Bool) {
    self.directory = directory
    writers = repaired ? NSLock() : nil
    self.index =
      switch index {
      case .fileStates: FileStates(repaired: repaired)
      case .maybeCached: MaybeCachedNames(repaired: repaired)
      }
    // Ignore an error: nothing can be stored then.
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// How often the file system was asked whether a file exists.
  var lookUpCount: Int { lookUps.load(ordering: .relaxed) }

  /// Has the index scan the folder on a global queue, if it is of the kind that scans; Kingfisher
  /// does so when it opens the cache. `completion` is called once the index has the result.
  func scan(completion: @escaping @Sendable () -> Void) {
    index.scan({ [self] in listing() }, completion: completion)
  }

  private func changing(_ body: () -> Void) {
    writers?.lock()
    defer { writers?.unlock() }
    body()
  }

  /// Stores data in a file atomically; if that fails, the key has no data.
  func set(_ data: [UInt8], forKey key: String) {
    changing {
      let name = Self.fileName(forKey: key)
      guard (try? Data(data).write(to: url(name), options: .atomic)) != nil else {
        return removeFile(name)
      }
      index.stored(name)
    }
  }

  /// The data under a key; `nil` if there is none, or it cannot be read.
  func data(forKey key: String) -> [UInt8]? {
    let name = Self.fileName(forKey: key)
    guard mayExist(name), let data = try? Data(contentsOf: url(name)) else { return nil }
    return [UInt8](data)
  }

  /// Whether there is data under a key. Asks the file system only if the index does not know.
  func has(_ key: String) -> Bool { mayExist(Self.fileName(forKey: key)) }

  /// Whether the index knows the file, without asking the file system.
  func isKnownToHave(_ key: String) -> Bool { index.isKnownToExist(Self.fileName(forKey: key)) }

  func remove(forKey key: String) { changing { removeFile(Self.fileName(forKey: key)) } }

  func removeAll() {
    changing {
      for name in listing() { try? FileManager.default.removeItem(at: url(name)) }
      index.removedAll()
    }
  }

  private func removeFile(_ name: String) {
    try? FileManager.default.removeItem(at: url(name))
    index.removed(name)
  }

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

  private func listing() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
      .filter { !$0.hasPrefix(".") }
  }

  // MARK: For checks after all calls have ended

  func fileNames() -> Set<String> { Set(listing()) }

  /// The names of the files that the index knows.
  func indexedFileNames() -> Set<String> { fileNames().filter(mayExist) }

  /// The name of a key's file: the key, in which characters that a file name must not contain are
  /// escaped; if the key is too long, its digest and its path extension, by which the system knows
  /// an image's format.
  static func fileName(forKey key: String) -> String {
    let name = FileName.escaping(key)
    if name.utf8.count <= 200 { return name }
    // From the text, as a file URL would ask the file system. An extension with a query is dropped.
    let text = (key as NSString).pathExtension.lowercased()
    let isPlain = text.utf8.count <= 16 && FileName.escaping(text) == text
    return "~" + KeyDigest.hexadecimal(key) + (isPlain && !text.isEmpty ? "." + text : "")
  }
}
