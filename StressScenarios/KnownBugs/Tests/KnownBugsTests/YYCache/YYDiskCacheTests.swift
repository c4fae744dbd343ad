import Caches
import Foundation
import Testing

@testable import KnownBugs

/// Caches over one database, and calls of many threads.
@Suite(
  "YYCache's disk", .enabled(if: SQLiteLibrary.missing == nil), .timeLimit(.minutes(10)))
struct YYDiskCacheTests {
  private let path = newFolder().path + "/cache"

  @Test("YYCache, repaired, has equal layers after calls of many threads")
  func manyThreads() async throws {
    let cache = try YYCache.open(path, yyOptions(.all), memoryRepairs: .all)
    await onThreads(3) { thread in
      for round in 0..<60 {
        let key = "key-\(round % 3)"
        switch (round + thread) % 4 {
        case 0: cache.removeValue(forKey: key)
        case 1: cache.memory.removeValue(forKey: key)
        case 2: _ = cache.value(forKey: key)
        default: cache.setValue([UInt8(thread), UInt8(round)], forKey: key, cost: 1)
        }
      }
    }
    for (key, entry) in cache.memory.entries() ?? [:] {
      #expect(cache.disk.value(forKey: key) == entry.value)
    }
    #expect(cache.disk.lastError == nil)
  }

  @Test("YYDiskCache is shared for each path while it is open; repaired, for each folder")
  func instances() throws {
    for repairs in [YYDiskRepairs(), .all] {
      let one = try YYDiskCache.open(path, yyOptions(repairs))
      #expect(try YYDiskCache.open(path, yyOptions(repairs)) === one)
      let other = try YYDiskCache.open(path + "/.", yyOptions(repairs))
      #expect((other === one) == (repairs == .all))
    }
    weak var gone: YYDiskCache?
    do {
      let cache = try YYDiskCache.open(path, yyOptions())
      gone = cache
    }
    #expect(gone == nil)
  }

  @Test(
    "YYDiskCache, as shipped, deletes a database that is only locked; repaired, reports the lock")
  func lockedDatabase() throws {
    for lockMilliseconds in [10, 0] {
      let path = path + "-\(lockMilliseconds)"
      try YYKVStorage(path).save(key: "a", value: [1])
      let other = try SQLiteDatabase(path + "/manifest.sqlite", try #require(.shared))
      try other.execute("PRAGMA locking_mode = EXCLUSIVE; DELETE FROM manifest WHERE key = 'b'")
      if lockMilliseconds == 0 {
        #expect(try YYKVStorage(path).count == 0)
        continue
      }
      let error = #expect(throws: YYStorageError.self) {
        _ = try YYKVStorage(path, lockMilliseconds: lockMilliseconds)
      }
      #expect("\(try #require(error))".hasSuffix(": database is locked"))
      other.close()
      #expect(try YYKVStorage(path, lockMilliseconds: lockMilliseconds).count == 1)
    }
  }

  @Test("YYDiskCache, as shipped, loses a write to a database that another cache has written to")
  func databaseIsLocked() throws {
    let one = try YYDiskCache(path, yyOptions())
    let two = try YYDiskCache(path, yyOptions())
    one.store([1], forKey: "a")
    // This read keeps its snapshot of the database open.
    #expect(one.value(forKey: "a") == [1])
    #expect(two.store([2], forKey: "a"))
    #expect(!one.store([3], forKey: "a"))
    #expect(one.lastError == "database is locked")
    #expect(two.value(forKey: "a") == [2])
  }
}
