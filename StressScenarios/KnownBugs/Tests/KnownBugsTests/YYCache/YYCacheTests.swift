import Dispatch
import Testing

import Caches
@testable import KnownBugs

private let bothKinds: [YYDiskRepairs] = [[], .all]

@Suite("YYCache", .enabled(if: SQLiteLibrary.missing == nil), .timeLimit(.minutes(10)))
struct YYCacheTests {
  private let folder = YYFolder()

  @Test(
    "YYCache reads values from the disk that memory has lost, and stores them in memory",
    arguments: bothKinds)
  func layers(_ repairs: YYDiskRepairs) throws {
    let cache = try YYCache.open(folder.path, options(repairs))
    cache.setValue([1], forKey: "a", cost: 1)
    #expect(cache.memory.value(forKey: "a") == [1])
    #expect(cache.disk.value(forKey: "a") == [1])
    cache.memory.didReceiveMemoryWarning()
    #expect(cache.memory.totalCount == 0)
    #expect(cache.containsValue(forKey: "a"))
    #expect(cache.value(forKey: "a") == [1])
    #expect(cache.memory.value(forKey: "a") == [1])
    cache.removeValue(forKey: "a")
    #expect(!cache.containsValue(forKey: "a"))
  }

  @Test("YYCache fills memory from the disk in the asynchronous form too", arguments: bothKinds)
  func asynchronousRead(_ repairs: YYDiskRepairs) async throws {
    let cache = try YYCache.open(folder.path, options(repairs))
    cache.setValue([1], forKey: "a", cost: 1)
    cache.memory.removeAllObjects()
    let value = await withCheckedContinuation { continuation in
      cache.value(forKey: "a") { continuation.resume(returning: $0) }
    }
    #expect(value == [1])
    #expect(cache.memory.value(forKey: "a") == [1])
  }

  @Test(
    "YYCache has two instances on one folder as shipped, and one when repaired",
    arguments: bothKinds)
  func twoPairs(_ repairs: YYDiskRepairs) throws {
    let one = try YYCache.open(folder.path, options(repairs))
    let two = try YYCache.open(folder.path, options(repairs))
    one.setValue([1], forKey: "a", cost: 1)
    two.setValue([2], forKey: "a", cost: 1)
    #expect(one.disk === two.disk)
    #expect(one.value(forKey: "a") == (repairs == .all ? [2] : [1]))
  }

  @Test("YYCache, repaired, has equal layers after calls of many threads")
  func manyThreads() async throws {
    let cache = try YYCache.open(folder.path, options(.all), memoryRepairs: .all)
    await onThreads(3) { thread in
      for round in 0..<60 {
        let key = "key-\(round % 3)"
        switch (round + thread) % 4 {
        case 0: cache.removeValue(forKey: key)
        case 1: cache.memory.removeObject(forKey: key)
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

  @Test("YYCache has YYKit's dictionary, which enumerates its entries")
  func dictionary() {
    for repaired in [false, true] {
      let dictionary = YYThreadSafeDictionary(repaired: repaired)
      for key in ["a", "b", "c"] { dictionary.setValue([1], forKey: key, cost: 1) }
      var seen: Set<String> = []
      dictionary.forEach { key, _ in
        seen.insert(key)
        if repaired { dictionary.removeValue(forKey: key) }
        return seen.count < 2
      }
      #expect(seen.count == 2)
      #expect(dictionary.count == (repaired ? 1 : 3))
    }
  }
}
