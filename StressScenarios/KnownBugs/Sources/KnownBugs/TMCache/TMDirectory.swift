internal import Foundation
import Interlock
internal import LockStrategies
internal import Synchronization

/// The index of one directory's files (sizes, dates, byte count), and the lock of the repaired
/// cache.
///
/// As shipped each cache has its own and touches it on the process's one disk queue only; repaired,
/// all caches over one directory share it. `@unchecked Sendable`: touched in `TMDiskCache.access`
/// alone.
final class TMDirectory: @unchecked Sendable {
  /// The memory that pairs over this directory share when repaired.
  let memory: TMMemoryCache<[UInt8]>
  let lock = PthreadMutexLock()
  /// Read from any thread, as the original's atomic property; changed in `access` alone. Relaxed: a
  /// number that orders nothing.
  let byteCount = Atomic<Int>(0)
  private let section = Section("tmcache.disk.index")
  private var dates: [String: Date] = [:]
  private var sizes: [String: Int] = [:]
  /// A unique number for each write of a present key, which readers compare.
  private var versions: [String: UInt64] = [:]
  private var lastVersion: UInt64 = 0
  private var isLoaded = false

  init(repairs: TMRepairs) {
    memory = TMMemoryCache(repairs: repairs)
  }

  /// The first call scans the directory for existing files.
  func loadOnce(from files: TMDiskFiles) throws {
    let isFirst = section.write(synched: true) {
      defer { isLoaded = true }
      return !isLoaded
    }
    guard isFirst else { return }
    try files.createDirectory()
    try files.createTrash()
    for file in try files.scan() { record(file.key, size: file.size, date: file.date) }
  }

  /// Records a file that was written, and subtracts the replaced file's size (pull request 82).
  func record(_ key: String, size: Int, date: Date) {
    section.write(synched: true) {
      lastVersion += 1
      dates[key] = date
      versions[key] = lastVersion
      let old = sizes.updateValue(size, forKey: key) ?? 0
      byteCount.wrappingAdd(size - old, ordering: .relaxed)
    }
  }

  func touch(_ key: String, at date: Date) {
    section.write(synched: true) { dates[key] = date }
  }

  func forget(_ key: String) {
    section.write(synched: true) {
      dates[key] = nil
      versions[key] = nil
      byteCount.wrappingSubtract(sizes.removeValue(forKey: key) ?? 0, ordering: .relaxed)
    }
  }

  func forgetAll() {
    section.write(synched: true) {
      dates = [:]
      sizes = [:]
      versions = [:]
      byteCount.store(0, ordering: .relaxed)
    }
  }

  func version(of key: String) -> UInt64? { section.read(synched: true) { versions[key] } }

  var keysByDate: [String] {
    section.read(synched: true) { dates.sorted { ($0.value, $0.key) < ($1.value, $1.key) } }
      .map(\.key)
  }

  func keys(olderThan date: Date) -> [String] {
    section.read(synched: true) {
      dates.filter { $0.value < date }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    }
    .map(\.key)
  }

  var keysBySize: [String] {
    section.read(synched: true) { sizes.sorted { ($0.value, $0.key) > ($1.value, $1.key) } }
      .map(\.key)
  }

  var knownSizes: [String: Int] { section.read(synched: true) { sizes } }
  var knownDates: Set<String> { section.read(synched: true) { Set(dates.keys) } }
}

extension TMDirectory {
  /// The directories that repaired caches share, while one of the caches lives.
  private struct Weak {
    weak var directory: TMDirectory?
  }

  private static let lock = PthreadMutexLock()
  // Only touched under the lock.
  nonisolated(unsafe) private static var known: [String: Weak] = [:]

  /// The shared directory of a path.
  static func shared(_ path: String, repairs: TMRepairs) -> TMDirectory {
    lock.withLock {
      if let directory = known[path]?.directory { return directory }
      known = known.filter { $0.value.directory != nil }
      let directory = TMDirectory(repairs: repairs)
      known[path] = Weak(directory: directory)
      return directory
    }
  }
}
