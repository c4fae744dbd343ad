import Caches
import KnownBugs
import Foundation

extension CacheCase {
  /// PINCache's memory caches. 2.0 as shipped keeps the cost of a replaced value (issue 92).
  static let pinMemory = [
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
  static let pinDisk = [
    CacheCase("PINDiskCache 2.1") { temporary { pinDisk2($0, [.heldUntilScanned]) } },
    CacheCase("PINDiskCache 2, repaired") { temporary { pinDisk2($0, .repaired) } },
    CacheCase("PINDiskCache 3.0.4") { temporary { pinDisk3($0, .version3) } },
    CacheCase("PINDiskCache 3, repaired") { temporary { pinDisk3($0, .repaired) } },
    CacheCase("PINCache 2.1") { temporary { pinPair(.two, $0, [.heldUntilScanned]) } },
    CacheCase("PINCache 3.0.4") { temporary { pinPair(.three, $0, .version3) } },
    CacheCase("PINCache 3, repaired") { temporary { pinPair(.three, $0, .repaired) } },
  ]
}

/// Makes a cache in a new folder.
private func temporary(_ make: (_ root: String) -> any Cache) -> any Cache {
  make(temporaryFolder())
}

func pinDisk2(
  _ root: String, _ changes: PINChanges, configure: (inout PINDiskOptions) -> Void = { _ in }
) -> PINDiskCache2 {
  var options = PINDiskOptions()
  options.changes = changes
  configure(&options)
  return PINDiskCache2(name: "tests", root: root, options: options)
}

func pinDisk3(
  _ root: String, _ changes: PINChanges, configure: (inout PINDiskOptions) -> Void = { _ in }
) -> PINDiskCache3 {
  var options = PINDiskOptions()
  options.changes = changes
  configure(&options)
  return PINDiskCache3(name: "tests", root: root, options: options)
}

func pinPair(_ version: PINVersion, _ root: String, _ changes: PINChanges) -> PINCache {
  var options = PINDiskOptions()
  options.changes = changes
  return PINCache(version, name: "tests", root: root, options: options)
}

/// A fresh folder in the one for temporary files.
func temporaryFolder() -> String {
  let path = FileManager.default.temporaryDirectory.path + "/interlock-pin-" + UUID().uuidString
  // Without the folder every test fails with a clear error.
  try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  return path
}

/// Runs `body` with a folder that is removed afterwards.
func withTemporaryFolder(_ body: (_ root: String) throws -> Void) rethrows {
  let root = temporaryFolder()
  defer { try? FileManager.default.removeItem(atPath: root) }
  try body(root)
}
