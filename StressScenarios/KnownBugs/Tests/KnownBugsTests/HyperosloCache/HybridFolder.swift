import Caches
import KnownBugs
import Foundation

/// A temporary directory, removed with the last reference.
final class HybridFolder: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("interlock-hybrid-\(UUID().uuidString)", isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// All files in it, at any depth.
  var names: Set<String> {
    Set((try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? [])
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// A cache that removes its directory when it is freed.
private final class Folded<Inner: Cache>: Cache {
  private let folder: HybridFolder
  private let inner: Inner

  init(_ make: (URL) throws -> Inner) {
    do {
      folder = try HybridFolder()
      inner = try make(folder.url.appendingPathComponent("cache", isDirectory: true))
    } catch {
      fatalError("no cache in the folder for temporary files: \(error)")
    }
  }

  func value(forKey key: String) -> [UInt8]? { inner.value(forKey: key) }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    inner.setValue(value, forKey: key, cost: cost)
  }
  func removeValue(forKey key: String) { inner.removeValue(forKey: key) }
  func removeAllValues() { inner.removeAllValues() }
  var count: Int { inner.count }
  var totalCost: Int? { inner.totalCost }
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    inner.value(forKey: key, completion: completion)
  }
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    inner.setValue(value, forKey: key, cost: cost, completion: completion)
  }
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    inner.removeValue(forKey: key, completion: completion)
  }
}

extension CacheCase {
  /// hyperoslo's Cache in its versions, and AwesomeCache.
  static let hybrid =
    HybridLocking.allCases.map { locking in
      CacheCase("HybridStorageCache, \(locking)") {
        Folded { try HybridStorageCache(directory: $0, locking: locking) }
      }
    }
    + [false, true].map { repaired in
      CacheCase("BasicHybridCache, repaired: \(repaired)") {
        Folded { BasicHybridCache(directory: $0, repaired: repaired) }
      }
    }
    + AwesomeCache.Version.allCases.map { version in
      CacheCase("AwesomeCache, \(version)") {
        Folded { try AwesomeCache(directory: $0, version: version) }
      }
    }
}
