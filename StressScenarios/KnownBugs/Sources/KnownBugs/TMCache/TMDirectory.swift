import Foundation
import Interlock
import LockStrategies
import Synchronization

/// The index of one directory's files, with the byte count, and the lock of the repaired cache.
///
/// As shipped each cache has its own, which it touches on the process's one disk queue; repaired,
/// all caches over one directory share it. `@unchecked Sendable`: touched in `TMDiskCache.access`
/// alone.
final class TMDirectory: @unchecked Sendable {
  private struct Known {
    var date: Date
    var size: Int
    /// A unique number for each write, which readers compare.
    var version: UInt64
  }

  /// The directories that repaired caches share, while one of the caches lives.
  private static let shared = WeakInstances<TMDirectory>()

  /// The shared directory of a path.
  static func shared(_ path: String, repairs: TMRepairs) -> TMDirectory {
    shared.instance(for: path) { TMDirectory(repairs: repairs) }
  }

  /// The memory that pairs over this directory share when repaired.
  let memory: TMMemoryCache
  let lock = PthreadMutexLock()
  /// Read from any thread, as the original's atomic property; changed in `access` alone. Relaxed: a
  /// number that orders nothing.
  let byteCount = Atomic<Int>(0)
  private let section = Section("tmcache.disk.index")
  private var known: [String: Known] = [:]
  private var lastVersion: UInt64 = 0
  private var isLoaded = false

  init(repairs: TMRepairs) {
    memory = TMMemoryCache(repairs: repairs)
  }

  /// Whether this is the first call, after which the directory's files are recorded.
  func isFirstAccess() -> Bool {
    section.write(synched: true) {
      defer { isLoaded = true }
      return !isLoaded
    }
  }

  /// Records a file that was written, and subtracts the replaced file's size (pull request 82).
  func record(_ key: String, size: Int, date: Date) {
    section.write(synched: true) {
      lastVersion += 1
      let old = known.updateValue(Known(date: date, size: size, version: lastVersion), forKey: key)
      byteCount.wrappingAdd(size - (old?.size ?? 0), ordering: .relaxed)
    }
  }

  func touch(_ key: String, at date: Date) {
    section.write(synched: true) { known[key]?.date = date }
  }

  func forget(_ key: String) {
    section.write(synched: true) {
      let size = known.removeValue(forKey: key)?.size ?? 0
      byteCount.wrappingSubtract(size, ordering: .relaxed)
    }
  }

  func forgetAll() {
    section.write(synched: true) {
      known = [:]
      byteCount.store(0, ordering: .relaxed)
    }
  }

  func version(of key: String) -> UInt64? { section.read(synched: true) { known[key]?.version } }

  var keys: [String] { section.read(synched: true) { Array(known.keys) } }

  func keys(olderThan date: Date) -> [String] {
    section.read(synched: true) { known.filter { $0.value.date < date }.map(\.key) }
  }
}
