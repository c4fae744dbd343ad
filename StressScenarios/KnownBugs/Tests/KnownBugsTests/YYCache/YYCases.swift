import Caches
import KnownBugs
import Foundation
import Testing

extension CacheCase {
  /// YYCache's memory cache, as shipped and repaired.
  static let yyMemory = [
    CacheCase("YYMemoryCache") { YYMemoryCache(autoTrimInterval: 0) },
    CacheCase("YYMemoryCache, repaired") { YYMemoryCache(repairs: .all, autoTrimInterval: 0) },
  ]

  /// YYCache's caches that keep no costs; those on disk only where there is SQLite.
  static let yyOthers =
    [
      CacheCase("YYThreadSafeDictionary") { YYThreadSafeDictionary() },
      CacheCase("YYThreadSafeDictionary, repaired") { YYThreadSafeDictionary(repaired: true) },
    ]
    + (SQLiteLibrary.missing != nil
      ? []
      : [YYDiskRepairs(), .all].flatMap { repairs in
        let suffix = repairs.isEmpty ? "" : ", repaired"
        return [
          CacheCase("YYDiskCache" + suffix) { inFolder { try .open($0, options(repairs)) } },
          CacheCase("YYDiskCache, files alone" + suffix) {
            inFolder { try .open($0, options(repairs, inlineThreshold: 0)) }
          },
          CacheCase("YYCache" + suffix) {
            CacheInFolder { try! YYCache.open($0, options(repairs)) }
          },
        ]
      })

  private static func inFolder(
    _ make: (String) throws -> YYDiskCache
  ) -> any Cache {
    CacheInFolder { try! make($0) }
  }
}

/// The tests' options of disk caches, without automatic trims.
func options(
  _ repairs: YYDiskRepairs = [], inlineThreshold: Int = YYDiskCache.defaultInlineThreshold
) -> YYDiskCache.Options {
  var options = YYDiskCache.Options()
  options.repairs = repairs
  options.inlineThreshold = inlineThreshold
  options.autoTrimInterval = 0
  return options
}

/// A folder that is removed with its owner.
final class YYFolder: Sendable {
  let path: String

  init() {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("yycache-tests-\(UUID().uuidString)").path
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// All files in the folder at any depth, by their relative paths.
  var contents: Set<String> {
    Set(FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [])
  }
}

/// A disk cache whose folder is removed with it.
final class CacheInFolder: Cache {
  private let folder = YYFolder()
  private let cache: any Cache

  init(_ make: (String) -> any Cache) {
    cache = make(folder.path + "/cache")
  }

  func value(forKey key: String) -> [UInt8]? { cache.value(forKey: key) }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    cache.setValue(value, forKey: key, cost: cost)
  }
  func removeValue(forKey key: String) { cache.removeValue(forKey: key) }
  func removeAllValues() { cache.removeAllValues() }
  var count: Int { cache.count }
  var totalCost: Int? { cache.totalCost }
  func entries() -> [String: CacheEntry]? { cache.entries() }
  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    cache.value(forKey: key, completion: completion)
  }
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    cache.setValue(value, forKey: key, cost: cost, completion: completion)
  }
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    cache.removeValue(forKey: key, completion: completion)
  }
}
