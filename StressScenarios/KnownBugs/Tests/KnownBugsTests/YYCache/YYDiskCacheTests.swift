import Dispatch
import Foundation
import Testing

import Caches
@testable import KnownBugs

private let hasSQLite = SQLiteLibrary.missing == nil
private let bothKinds: [YYDiskRepairs] = [[], .all]

@Suite("YYDiskCache", .enabled(if: hasSQLite), .timeLimit(.minutes(10)))
struct YYDiskCacheTests {
  let folder = YYFolder()

  func cache(
    _ repairs: YYDiskRepairs = [], inlineThreshold: Int = YYDiskCache.defaultInlineThreshold,
    clock: @escaping @Sendable () -> Int = { 1000 }
  ) throws -> YYDiskCache {
    try YYDiskCache(
      folder.path + "/cache", options(repairs, inlineThreshold: inlineThreshold), clock: clock)
  }

  func bytes(_ count: Int, of byte: UInt8 = 7) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  @Test("YYDiskCache keeps long values in files and short ones in the database")
  func threshold() throws {
    let cache = try cache()
    // The archive adds twelve bytes, and 20 KB is short.
    cache.setValue(bytes(20_468), forKey: "short")
    #expect(cache.fileNames == ([], []))
    cache.setValue(bytes(20_469), forKey: "long")
    #expect(cache.fileNames == ([KeyDigest.hexadecimal("long")], [KeyDigest.hexadecimal("long")]))
    #expect(cache.value(forKey: "short")?.count == 20_468)
    #expect(cache.value(forKey: "long")?.count == 20_469)
    // A short value leaves no file.
    cache.setValue([1], forKey: "long")
    #expect(cache.fileNames == ([], []))
    #expect(cache.value(forKey: "long") == [1])
    cache.setValue(bytes(30_000), forKey: "long")
    #expect(cache.value(forKey: "long") == bytes(30_000))
    cache.removeValue(forKey: "long")
    #expect(cache.fileNames == ([], []))
  }

  @Test("YYDiskCache keeps all values in files, or all in the database", arguments: [0, Int.max])
  func oneKind(_ threshold: Int) throws {
    let cache = try cache(inlineThreshold: threshold)
    for size in [0, 1, 30_000] { cache.setValue(bytes(size), forKey: "key-\(size)") }
    #expect(cache.fileNames.inFolder.count == (threshold == 0 ? 3 : 0))
    for size in [0, 1, 30_000] { #expect(cache.value(forKey: "key-\(size)") == bytes(size)) }
    #expect(cache.totalSize == 30_001 + 3 * 12)
  }

  @Test("YYDiskCache finds everything again when it is opened again")
  func reopening() throws {
    do {
      let cache = try cache()
      cache.setValue([1], forKey: "a", extendedData: [9])
      cache.setValue(bytes(30_000), forKey: "b")
    }
    let cache = try cache()
    #expect(cache.item(forKey: "a")?.value == [1])
    #expect(cache.item(forKey: "a")?.extendedData == [9])
    #expect(cache.value(forKey: "b") == bytes(30_000))
    #expect(cache.count == 2)
  }

  @Test("YYDiskCache removes the least recently used by size, count and age")
  func trims() throws {
    let time = Locked(1000)
    let cache = try cache(clock: { time.withLock { $0 } })
    func fill() {
      cache.removeAllValues()
      for key in 0..<40 {
        time.withLock { $0 += 10 }
        // A file for every other.
        cache.setValue(bytes(key % 2 == 0 ? 88 : 29_988), forKey: "key-\(key)")
      }
      time.withLock { $0 += 10 }
      _ = cache.value(forKey: "key-0")
    }
    fill()
    #expect(cache.totalSize == 20 * 100 + 20 * 30_000)
    cache.trim(toCount: 3)
    #expect(Set(cache.entries()?.keys.map { $0 } ?? []) == ["key-0", "key-39", "key-38"])
    #expect(
      cache.fileNames == ([KeyDigest.hexadecimal("key-39")], [KeyDigest.hexadecimal("key-39")]))
    fill()
    cache.trim(toSize: 30_200)
    #expect(Set(cache.entries()?.keys.map { $0 } ?? []) == ["key-0", "key-39", "key-38"])
    cache.trim(toSize: 30_199)
    #expect(Set(cache.entries()?.keys.map { $0 } ?? []) == ["key-0", "key-39"])
    fill()
    cache.trim(toAge: 25)
    #expect(Set(cache.entries()?.keys.map { $0 } ?? []) == ["key-0", "key-39", "key-38"])
    #expect(cache.fileNames.inFolder == [KeyDigest.hexadecimal("key-39")])
    cache.trim(toAge: 0)
    #expect(cache.count == 0)
    #expect(cache.fileNames.inFolder.isEmpty)
  }

  @Test("YYDiskCache trims to its limits, and to a limit of free disk space")
  func limits() throws {
    var options = options()
    options.limits.count = 2
    let path = folder.path + "/limited"
    let cache = try YYDiskCache(path, options)
    for key in 0..<5 { cache.setValue([1], forKey: "key-\(key)") }
    cache.trimToLimits()
    #expect(cache.count == 2)
    options.limits.count = .max
    options.limits.freeDiskSpace = .max
    let greedy = try YYDiskCache(folder.path + "/greedy", options)
    greedy.setValue([1], forKey: "a")
    greedy.trimToLimits()
    #expect(greedy.count == 0)
  }

  @Test("YYDiskCache trims to limits that are set while it is open")
  func changedLimits() throws {
    let cache = try cache()
    for key in 0..<5 { cache.setValue([1], forKey: "key-\(key)") }
    cache.trimToLimits()
    #expect(cache.count == 5)
    cache.updateLimits { $0.count = 3 }
    cache.trimToLimits()
    #expect(cache.count == 3)
    // Each archive has 13 bytes.
    cache.updateLimits { $0.cost = 13 }
    cache.trimToLimits()
    #expect(cache.count == 1)
    cache.updateLimits { $0.age = 0 }
    #expect(cache.limits.count == 3 && cache.limits.cost == 13 && cache.limits.age == 0)
    cache.trimToLimits()
    #expect(cache.count == 0)
  }

  @Test("YYDiskCache archives by its blocks, and stores nothing if one gives nothing")
  func archiveBlocks() throws {
    var options = options()
    options.archive = { $0.isEmpty ? nil : $0.reversed() }
    options.unarchive = { $0.first == 9 ? nil : $0.reversed() }
    let cache = try YYDiskCache(folder.path + "/cache", options)
    #expect(cache.setValue([1, 2], forKey: "a"))
    #expect(cache.value(forKey: "a") == [1, 2])
    #expect(cache.totalSize == 2)
    #expect(!cache.setValue([], forKey: "b"))
    #expect(cache.value(forKey: "b") == nil)
    #expect(cache.setValue([1, 9], forKey: "c"))
    #expect(cache.value(forKey: "c") == nil)
    #expect(cache.entries()?.keys.sorted() == ["a"])
  }

  @Test("YYDiskCache logs the database's errors, unless that is switched off")
  func errorLogs() throws {
    var options = options()
    let log = Locked<[String]>([])
    options.log = { text in log.withLock { $0.append(text) } }
    let cache = try YYDiskCache(folder.path + "/cache", options)
    func fail() {
      cache.withStorage { storage in
        _ = storage.query { database throws(SQLiteError) in try database.execute("no statement") }
      }
    }
    #expect(cache.logsErrors)
    #expect(log.withLock { $0 } == [])
    fail()
    #expect(log.withLock { $0.count } == 1)
    #expect(log.withLock { $0.first } == cache.lastError)
    cache.logsErrors = false
    fail()
    #expect(log.withLock { $0.count } == 1)
  }

  @Test("YYDiskCache removes everything in batches, and reports its progress", arguments: bothKinds)
  func removalWithProgress(_ repairs: YYDiskRepairs) async throws {
    let cache = try cache(repairs)
    for key in 0..<70 { cache.setValue(bytes(key == 0 ? 30_000 : 1), forKey: "key-\(key)") }
    let steps = Locked<[[Int]]>([])
    let failed: Bool = await withCheckedContinuation { continuation in
      cache.removeAllValues(
        progress: { removed, total in steps.withLock { $0.append([removed, total]) } },
        end: { continuation.resume(returning: $0) })
    }
    #expect(!failed)
    #expect(steps.withLock { $0 } == [[32, 70], [64, 70], [70, 70]])
    #expect(cache.count == 0)
    #expect(cache.fileNames == ([], []))
  }

  @Test("YYDiskCache, repaired, may be called by the blocks of a removal")
  func reentrantProgress() async throws {
    let cache = try cache(.callsBackUnlocked)
    cache.setValue([1], forKey: "a")
    let counts: [Int] = await withCheckedContinuation { continuation in
      let counts = Locked<[Int]>([])
      cache.removeAllValues(
        progress: { _, _ in counts.withLock { $0.append(cache.count) } },
        end: { _ in continuation.resume(returning: counts.withLock { $0 } + [cache.count]) })
    }
    #expect(counts == [0, 0])
  }

  @Test("YYDiskCache keeps every key in its folder", arguments: bothKinds)
  func keys(_ repairs: YYDiskRepairs) throws {
    let cache = try cache(repairs, inlineThreshold: 0)
    let keys = [
      "/etc/passwd", "../../outside", "..", ".", "a/b", "\u{0}", "a\u{0}b", "a\u{0}c", "é",
      String(repeating: "k", count: 100_000),
    ]
    for (number, key) in keys.enumerated() {
      #expect(cache.setValue([UInt8(number)], forKey: key))
    }
    for (number, key) in keys.enumerated() {
      #expect(cache.value(forKey: key) == [UInt8(number)])
    }
    // The empty key is not stored, as in the original.
    #expect(!cache.setValue([1], forKey: ""))
    #expect(cache.value(forKey: "") == nil)
    cache.removeValue(forKey: "")
    #expect(folder.contents.allSatisfy { $0 == "cache" || $0.hasPrefix("cache/") })
  }

  @Test("YYDiskCache is shared for each path while it is open; repaired, for each folder")
  func instances() throws {
    let path = folder.path + "/cache"
    let other = folder.path + "/./cache"
    for repairs in bothKinds {
      let one = try YYDiskCache.open(path, options(repairs))
      #expect(try YYDiskCache.open(path, options(repairs)) === one)
      #expect(try (YYDiskCache.open(other, options(repairs)) === one) == (repairs == .all))
      withExtendedLifetime(one) {}
    }
    weak var gone: YYDiskCache?
    do {
      let cache = try YYDiskCache.open(path, options())
      gone = cache
    }
    #expect(gone == nil)
  }

  @Test(
    "YYDiskCache, as shipped, deletes a database that is only locked; repaired, reports the lock")
  func lockedDatabase() throws {
    for lockMilliseconds in [10, 0] {
      let path = folder.path + "/locked-\(lockMilliseconds)"
      try YYKVStorage(path, .mixed).save(key: "a", value: [1])
      let other = try SQLiteDatabase(path + "/manifest.sqlite", try #require(.shared))
      try other.execute("PRAGMA locking_mode = EXCLUSIVE; DELETE FROM manifest WHERE key = 'b'")
      if lockMilliseconds == 0 {
        #expect(try YYKVStorage(path, .mixed).count == 0)
        continue
      }
      let error = #expect(throws: YYStorageError.self) {
        _ = try YYKVStorage(path, .mixed, lockMilliseconds: lockMilliseconds)
      }
      #expect("\(try #require(error))".hasSuffix(": database is locked"))
      other.close()
      #expect(try YYKVStorage(path, .mixed, lockMilliseconds: lockMilliseconds).count == 1)
    }
  }

  @Test("YYDiskCache, as shipped, loses a write to a database that another cache has written to")
  func databaseIsLocked() throws {
    let one = try cache()
    let two = try cache()
    one.setValue([1], forKey: "a")
    // Keeps its snapshot of the database open.
    #expect(one.value(forKey: "a") == [1])
    #expect(two.setValue([2], forKey: "a"))
    #expect(!one.setValue([3], forKey: "a"))
    #expect(one.lastError == "database is locked")
    #expect(two.value(forKey: "a") == [2])
  }
}
