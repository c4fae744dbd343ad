import Caches
import Foundation
import LockStrategies

@testable import KnownBugs

extension CacheCase {
  /// The caches that show their entries.
  static let builtIn = tmMemory + yyMemory + pinMemory + modern

  /// All synchronous caches.
  static let all = builtIn + tmDisk + yyOthers + pinDisk + imageStores + hybrid

  private static func pair(
    _ name: String, _ make: @escaping @Sendable (_ repaired: Bool) throws -> any Cache
  ) -> [CacheCase] {
    [false, true].map { repaired in
      // Crash if a cache cannot be made: none of its tests could pass.
      CacheCase(name + (repaired ? ", repaired" : "")) { try! make(repaired) }
    }
  }

  /// TMCache as shipped, except for the total cost, which is wrong even on one thread.
  private static func tm(_ repaired: Bool) -> TMRepairs { repaired ? .all : .exactTotals }

  /// TMCache's caches that keep costs.
  private static let tmMemory =
    pair("TMMemoryCache") { TMMemoryCache(repairs: tm($0)) }
    + pair("TMCache") { TMCache(name: "tests", root: newFolder().path, repairs: tm($0)) }

  private static let tmDisk =
    pair("TMDiskCache") { TMDiskCache(name: "tests", root: newFolder().path, repairs: tm($0)) }

  /// PINCache's memory caches. 2.0 as shipped keeps the cost of a replaced value (issue 92).
  private static let pinMemory: [CacheCase] = [
    CacheCase("PINMemoryCache 2.0 with issue 92 mended") {
      PINMemoryCache(.two, changes: .replacedCostSubtracted)
    },
    CacheCase("PINMemoryCache 3.0.4") { PINMemoryCache(.three) },
    CacheCase("PINMemoryCache 3.0.4, repaired") { PINMemoryCache(.three, changes: .repaired) },
    CacheCase("PINMemoryCache 3.0.4, with copies") {
      PINMemoryCache(.three, changes: [.repaired, .objectsCopied])
    },
  ]

  /// PINCache's disk caches and pairs. 2.0 as shipped may be called before its directory exists;
  /// 2.1 waits.
  private static let pinDisk: [CacheCase] = [
    CacheCase("PINDiskCache 2.1") { pinDisk2([.heldUntilScanned]) },
    CacheCase("PINDiskCache 2, repaired") { pinDisk2(.repaired) },
    CacheCase("PINDiskCache 3.0.4") { pinDisk3(.version3) },
    CacheCase("PINDiskCache 3, repaired") { pinDisk3(.repaired) },
    CacheCase("PINCache 2.1") { pinPair(.two, [.heldUntilScanned]) },
    CacheCase("PINCache 3.0.4") { pinPair(.three, .version3) },
    CacheCase("PINCache 3, repaired") { pinPair(.three, .repaired) },
  ]

  private static let yyMemory = pair("YYMemoryCache") {
    YYMemoryCache(repairs: $0 ? .all : [])
  }

  /// YYCache's caches that keep no costs; those on disk only where there is SQLite.
  private static let yyOthers =
    pair("YYThreadSafeDictionary") { YYThreadSafeDictionary(repaired: $0) }
    + (SQLiteLibrary.missing != nil
      ? []
      : pair("YYDiskCache") { try YYDiskCache.open(newFolder().path, yyOptions($0 ? .all : [])) }
        + pair("YYDiskCache, files alone") {
          try YYDiskCache.open(newFolder().path, yyOptions($0 ? .all : [], inlineThreshold: 0))
        }
        + pair("YYCache") { try YYCache.open(newFolder().path, yyOptions($0 ? .all : [])) })

  /// Tusker's two layers, and memory alone. They show no entries: a file has no cost.
  private static let imageStores =
    pair("ImageStore") {
      ImageStore(disk: ImageDiskCache(directory: newFolder(), repaired: $0), repaired: $0)
    } + [CacheCase("ImageStore, in memory") { ImageStore(disk: nil, repaired: true) }]

  /// hyperoslo's Cache in its versions, and AwesomeCache.
  private static let hybrid =
    HybridLocking.allCases.map { locking in
      CacheCase("HybridStorageCache, \(locking)") {
        HybridStorageCache(directory: newFolder(), locking: locking)
      }
    }
    + pair("BasicHybridCache") { BasicHybridCache(directory: newFolder(), repaired: $0) }
    + AwesomeCache.Version.allCases.map { version in
      CacheCase("AwesomeCache, \(version)") {
        AwesomeCache(directory: newFolder(), version: version)
      }
    }

  /// The caches of today's Swift whose native form is synchronous, and those of the recipes.
  private static let modern =
    pair("FoundationCache") {
      FoundationCache(repairs: $0 ? [.callsOutsideLocks, .evictsOldest] : [])
    }
    + pair("MarkedTable") { MarkedTable(repaired: $0) }
    + pair("SharedValueCache") { SharedValueCache(repaired: $0) }
    + pair("CountingCache") { CountingCache(repaired: $0) }
    + [CacheCase("ObservedCache") { ObservedCache(PthreadMutexLock()) { _ in } }]
}

extension AsyncCacheCase {
  /// The asynchronous caches; those that load have an empty origin.
  static let all = [false, true].flatMap { repaired in
    let suffix = repaired ? ", repaired" : ""
    return [
      AsyncCacheCase(testDescription: "LoadingCache" + suffix) {
        LoadingCache(over: nil, repaired: repaired)
      },
      AsyncCacheCase(testDescription: "StreamCache" + suffix) { StreamCache(repaired: repaired) },
    ]
  }
}

/// A PINDiskCache 2 in a new folder.
func pinDisk2(
  _ changes: PINChanges, configure: (inout PINDiskOptions) -> Void = { _ in }
) -> PINDiskCache2 {
  PINDiskCache2(name: "tests", root: newFolder().path, options: pinOptions(changes, configure))
}

/// A PINDiskCache 3 in a new folder.
func pinDisk3(
  _ changes: PINChanges, configure: (inout PINDiskOptions) -> Void = { _ in }
) -> PINDiskCache3 {
  PINDiskCache3(name: "tests", root: newFolder().path, options: pinOptions(changes, configure))
}

/// A PINCache in a new folder.
func pinPair(
  _ version: PINVersion, _ changes: PINChanges, configure: (inout PINDiskOptions) -> Void = { _ in }
) -> PINCache {
  PINCache(version, name: "tests", root: newFolder().path, options: pinOptions(changes, configure))
}

private func pinOptions(
  _ changes: PINChanges, _ configure: (inout PINDiskOptions) -> Void
) -> PINDiskOptions {
  var options = PINDiskOptions()
  options.changes = changes
  configure(&options)
  return options
}

/// Options of YYCache's disk caches.
func yyOptions(
  _ repairs: YYDiskRepairs = [], inlineThreshold: Int = YYDiskCache.defaultInlineThreshold
) -> YYDiskCache.Options {
  var options = YYDiskCache.Options()
  options.repairs = repairs
  options.inlineThreshold = inlineThreshold
  return options
}
