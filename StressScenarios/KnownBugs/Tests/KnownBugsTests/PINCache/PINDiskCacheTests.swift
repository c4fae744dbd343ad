import Caches
import KnownBugs
import Foundation
import Testing

/// Both disk caches, over real files.
@Suite("PINDiskCache", .timeLimit(.minutes(10)))
struct PINDiskCacheTests {
  /// A disk cache of either version, with the calls that the tests need.
  enum Version: CaseIterable { case two, three }

  private func disk(
    _ version: Version, _ root: String, configure: (inout PINDiskOptions) -> Void = { _ in }
  ) -> any PINDisk {
    version == .two
      ? pinDisk2(root, .repaired, configure: configure)
      : pinDisk3(root, .repaired, configure: configure)
  }

  private let hardKeys = [
    "plain", "with space", "a/b", "../../outside", "..", ".", ".hidden", "%2F", "%~", "a:b",
    "日本語 🙂",
    "line\nbreak", "nul\0inside", String(repeating: "long/", count: 2000),
  ]

  @Test(
    "PINDiskCache keeps stored values, and finds them again in a new instance",
    arguments: Version.allCases)
  func survives(_ version: Version) {
    withTemporaryFolder { root in
      let first = disk(version, root)
      for (number, key) in hardKeys.enumerated() {
        first.setValue([UInt8(number), 1, 2], forKey: key, cost: 0)
        #expect(first.value(forKey: key) == [UInt8(number), 1, 2], "\(key.prefix(30))")
      }
      let second = disk(version, root)
      #expect(second.knownSizes.keys.sorted() == hardKeys.sorted())
      #expect(second.byteCount == first.byteCount)
      for (number, key) in hardKeys.enumerated() {
        #expect(second.value(forKey: key) == [UInt8(number), 1, 2])
        second.removeValue(forKey: key)
        #expect(second.value(forKey: key) == nil)
      }
      #expect(second.byteCount == 0)
    }
  }

  @Test(
    "PINDiskCache touches nothing outside its directory and the trash beside it",
    arguments: Version.allCases)
  func staysInside(_ version: Version) throws {
    try withTemporaryFolder { root in
      let cache = disk(version, root + "/inner")
      for key in hardKeys { cache.setValue([1], forKey: key, cost: 0) }
      for key in hardKeys { cache.removeValue(forKey: key) }
      cache.trash.waitUntilEmptied()
      let outer = try FileManager.default.contentsOfDirectory(atPath: root)
      let inner = try FileManager.default.contentsOfDirectory(atPath: root + "/inner")
      #expect(outer == ["inner"])
      // 2.0 keeps its empty trash.
      let trash = version == .two ? [".trash"] : []
      #expect(inner.sorted() == trash + ["com.pinterest.PINDiskCache.tests"])
      if version == .two {
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/inner/.trash").isEmpty)
      }
    }
  }

  @Test("PINDiskCache has no file for the empty key", arguments: Version.allCases)
  func emptyKey(_ version: Version) {
    withTemporaryFolder { root in
      let cache = disk(version, root)
      #expect(cache.setObject(PINObject([1]), forKey: "", ageLimit: 0) == nil)
      #expect(cache.value(forKey: "") == nil)
      cache.removeValue(forKey: "")
      #expect(cache.count == 0)
    }
  }

  @Test("PINDiskCache treats a damaged file as a miss, and deletes it", arguments: Version.allCases)
  func damaged(_ version: Version) throws {
    try withTemporaryFolder { root in
      let cache = disk(version, root)
      let path = try #require(
        cache.setObject(PINObject([UInt8](repeating: 7, count: 100)), forKey: "a", ageLimit: 0))
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count - 3] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(cache.value(forKey: "a") == nil)
      #expect(!FileManager.default.fileExists(atPath: path))
      cache.setValue([1], forKey: "a", cost: 0)
      #expect(cache.value(forKey: "a") == [1])
    }
  }

  @Test(
    "PINDiskCache reports a file that could not be written, and has no such key",
    arguments: Version.allCases)
  func cannotWrite(_ version: Version) throws {
    try withTemporaryFolder { root in
      let errors = Locked<[PINDiskError]>([])
      // A file is where the directory should be.
      try Data().write(to: URL(fileURLWithPath: root + "/com.pinterest.PINDiskCache.tests"))
      let cache = disk(version, root) {
        $0.report = { error in errors.withLock { $0.append(error) } }
      }
      #expect(cache.setObject(PINObject([1]), forKey: "a", ageLimit: 0) == nil)
      #expect(cache.value(forKey: "a") == nil)
      #expect(cache.byteCount == 0)
      #expect(errors.withLock { $0.contains { $0.description.hasPrefix("write ") } })
    }
  }

  @Test("PINDiskCache keeps the old file when a write fails on a full disk")
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      withTemporaryFolder { root in
        let two = pinDisk2(root + "/2", .repaired)
        let three = pinDisk3(root + "/3", .version3)
        for disk in [two, three] as [any PINDisk] {
          disk.setValue([1, 2, 3], forKey: "a", cost: 0)
          _ = disk.count
        }
        limitFileSize(to: 1000)
        for disk in [two, three] as [any PINDisk] {
          let large = PINObject([UInt8](repeating: 7, count: 5000))
          precondition(disk.setObject(large, forKey: "a", ageLimit: 0) == nil)
          precondition(disk.setObject(large, forKey: "b", ageLimit: 0) == nil)
          precondition(disk.value(forKey: "a") == [1, 2, 3])
          precondition(disk.value(forKey: "b") == nil)
          precondition(disk.byteCount == disk.storedFiles()["a"]?.size)
          disk.setValue([4], forKey: "b", cost: 0)
          precondition(disk.value(forKey: "b") == [4])
        }
      }
    }
  }

  @Test("PINDiskCache removes everything and stays usable", arguments: Version.allCases)
  func removeAll(_ version: Version) {
    withTemporaryFolder { root in
      let cache = disk(version, root)
      for round in 0..<50 {
        cache.removeAllObjects()
        cache.setValue([UInt8(round)], forKey: "a", cost: 0)
        #expect(cache.value(forKey: "a") == [UInt8(round)])
        cache.removeObject(forKey: "a")
        #expect(cache.value(forKey: "a") == nil)
      }
      #expect(cache.byteCount == 0)
      #expect(cache.storedFiles().isEmpty)
    }
  }

  @Test(
    "the byte count is the size of the files, even after files are replaced",
    arguments: Version.allCases)
  func byteCount(_ version: Version) {
    withTemporaryFolder { root in
      let cache = disk(version, root)
      for size in [10, 1000, 100] {
        cache.setValue([UInt8](repeating: 1, count: size), forKey: "a", cost: 0)
      }
      cache.setValue([1], forKey: "b", cost: 0)
      #expect(cache.lockedByteCount == cache.storedFiles().values.reduce(0) { $0 + $1.size })
    }
  }

  @Test("PINDiskCache 2.0 counts replaced files too")
  func byteCountAsShipped() {
    withTemporaryFolder { root in
      let cache = pinDisk2(root, [.heldUntilScanned])
      cache.setValue([1], forKey: "a", cost: 0)
      let once = cache.byteCount
      cache.setValue([1], forKey: "a", cost: 0)
      #expect(cache.byteCount == 2 * once)
    }
  }

  @Test("PINDiskCache 3.0.4 does not store a file larger than the byte limit")
  func tooLarge() {
    withTemporaryFolder { root in
      let cache = pinDisk3(root, .version3) { $0.byteLimit = 100 }
      #expect(cache.setObject(PINObject([UInt8](repeating: 1, count: 101)), forKey: "a") == nil)
      #expect(cache.value(forKey: "a") == nil)
    }
  }

  @Test(
    "PINDiskCache 2.0 loses what is stored before its directory exists; 2.1 makes the caller wait")
  func storedTooEarly() {
    withTemporaryFolder { root in
      let parked = Locked<(@Sendable () -> Void)?>(nil)
      let cache = pinDisk2(root, .version2) { $0.start = { work in parked.withLock { $0 = work } } }
      #expect(cache.setObject(PINObject([1]), forKey: "a") == nil)
      parked.withLock { $0 }?()
      #expect(cache.setObject(PINObject([1]), forKey: "a") != nil)
    }
  }
}
