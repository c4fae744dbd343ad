import Caches
import KnownBugs
import Foundation

extension TMRepairs {
  /// As shipped, except for the total cost, which is wrong even on one thread.
  static let almostNone: TMRepairs = .exactTotals
}

extension CacheCase {
  /// TMCache's caches that keep costs.
  static let tmCaches = [TMRepairs.almostNone, .all].flatMap { repairs in
    let form = repairs == .all ? "repaired" : "as shipped"
    return [
      CacheCase("TMMemoryCache, \(form)") { TMMemoryCache<[UInt8]>(repairs: repairs) },
      CacheCase("TMCache, \(form)") {
        TMCache(name: UUID().uuidString, root: TMFolder.ofProcess.url, repairs: repairs)
      },
    ]
  }

  /// TMCache's caches that keep no costs.
  static let tmDiskCaches = [TMRepairs.almostNone, .all].map { repairs in
    CacheCase("TMDiskCache, \(repairs == .all ? "repaired" : "as shipped")") {
      TMDiskCache(name: UUID().uuidString, root: TMFolder.ofProcess.url, repairs: repairs)
    }
  }
}

/// A folder removed with its owner, or else at the end of the process.
final class TMFolder: Sendable {
  let url: URL

  /// The folder of caches without an owner.
  static let ofProcess = TMFolder()

  /// The parent of all folders, because a thread may release the last one too late to remove it.
  private static let parent: URL = {
    atexit { TMFolder.remove(TMFolder.parent) }
    return FileManager.default.temporaryDirectory.appendingPathComponent(
      "tmcache-tests-" + UUID().uuidString, isDirectory: true)
  }()

  init() {
    url = Self.parent.appendingPathComponent(UUID().uuidString, isDirectory: true)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { Self.remove(url) }

  /// Removes it after the caches' remaining blocks, which would make it again. Several attempts,
  /// because files that the trash queue deletes meanwhile interrupt a removal.
  private static func remove(_ url: URL) {
    TMDiskCache.sharedQueue.sync {
      for _ in 0..<10 where FileManager.default.fileExists(atPath: url.path) {
        try? FileManager.default.removeItem(at: url)
      }
    }
  }

  /// Every file under the folder, by its path in it.
  var files: [String] {
    let all = FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? []
    return all.filter {
      var isDirectory: ObjCBool = false
      let path = url.appendingPathComponent($0).path
      return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        && !isDirectory.boolValue
    }
    .sorted()
  }
}

/// A thread-safe list.
final class TMNotes<Element: Sendable>: @unchecked Sendable {
  // Unchecked: only touched under the lock.
  private let lock = NSLock()
  private var elements: [Element] = []

  func add(_ element: Element) { lock.withLock { elements.append(element) } }
  var all: [Element] { lock.withLock { elements } }
}
