import Caches
import KnownBugs
import Foundation
import Synchronization
import Testing

/// Counts calls from any thread.
final class Counted: Sendable {
  private let count = Atomic(0)
  func note() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  var notes: Int { count.load(ordering: .sequentiallyConsistent) }
}

/// The behaviour of Foundation's NSCache on Linux. If one of these fails on a new toolchain,
/// NSCache has changed: the recipes over it and the comment of `FoundationCache` have to change
/// with it.
@Suite(
  "Foundation's NSCache", .timeLimit(.minutes(10)),
  .enabled(if: FoundationCache.lackingForPeculiarities == nil))
struct FoundationCacheTests {
  private func fill(_ cache: FoundationCache, _ costs: KeyValuePairs<String, Int>) {
    for (key, cost) in costs { cache.setValue([1], forKey: key, cost: cost) }
  }

  private func keys(_ cache: FoundationCache) -> [String] {
    (cache.entries() ?? [:]).keys.sorted()
  }

  @Test("NSCache evicts the newest of several values with equal costs")
  func equals() {
    let cache = FoundationCache(countLimit: 3)
    fill(cache, ["a": 1, "b": 1, "c": 1, "d": 1, "e": 1])
    #expect(keys(cache) == ["a", "b", "c"])
    #expect(cache.value(forKey: "e") == nil)
  }

  @Test("NSCache evicts the cheapest first, whenever it was stored or used")
  func cheapest() {
    let cache = FoundationCache(countLimit: 3)
    fill(cache, ["a": 5, "b": 1, "c": 9])
    _ = cache.value(forKey: "b")
    fill(cache, ["d": 3, "e": 7])
    #expect(keys(cache) == ["a", "c", "e"])
  }

  @Test("NSCache evicts a value that costs too much at once, and every cheaper one before it")
  func tooDear() {
    let cache = FoundationCache(totalCostLimit: 10)
    fill(cache, ["a": 5, "b": 1, "c": 11])
    #expect(keys(cache) == [])
    fill(cache, ["a": 5, "b": 1, "c": 9])
    #expect(keys(cache) == ["c"])
  }

  @Test("NSCache, repaired, evicts the oldest")
  func oldest() {
    let cache = FoundationCache(countLimit: 3, repairs: .evictsOldest)
    fill(cache, ["a": 9, "b": 1, "c": 5, "a": 9, "d": 0])
    #expect(keys(cache) == ["a", "c", "d"])
    #expect(cache.totalCost == 14)
  }

  @Test("NSCache reports evictions, and neither replacing nor removing", arguments: [false, true])
  func telling(repaired: Bool) {
    let told = Counted()
    let cache = FoundationCache(
      countLimit: 2, repairs: repaired ? .callsOutsideLocks : [],
      onEviction: { _, _ in told.note() })
    fill(cache, ["a": 1, "a": 2, "b": 3])
    cache.removeValue(forKey: "a")
    cache.removeAllValues()
    #expect(told.notes == 0)
    fill(cache, ["a": 1, "b": 2, "c": 3])
    #expect(told.notes == 1)
    #expect(keys(cache) == ["b", "c"])
  }

  @Test("NSCache, repaired, may be called by its handlers and by a value's deinit")
  func asking() async {
    let (evictions, releases) = (Counted(), Counted())
    await onThread {
      let cache = FoundationCache(
        countLimit: 2, repairs: .callsOutsideLocks,
        onEviction: { cache, key in
          #expect(cache.value(forKey: key) == nil)
          evictions.note()
        },
        onRelease: { cache, _ in
          _ = cache.value(forKey: "a")
          releases.note()
        })
      for round in 0..<4 {
        // A replacement, an eviction, a removal, and a removal of all.
        fill(cache, ["a": 1, "a": 2, "b": 3, "c": 4])
        cache.removeValue(forKey: "c")
        cache.removeAllValues()
        #expect(evictions.notes == round + 1)
        #expect(releases.notes == 4 * (round + 1))
      }
    }
  }

  @Test(
    "NSCache keeps its index correct while many threads store and remove", arguments: [false, true])
  func index(repaired: Bool) async {
    let cache = FoundationCache(repairs: repaired ? .callsOutsideLocks : [])
    await onThreads(4) { thread in
      for round in 0..<500 {
        let key = "\(thread)-\(round % 10)"
        cache.setValue([UInt8(thread)], forKey: key, cost: 1)
        if round % 3 == 0 { cache.removeValue(forKey: key) }
      }
    }
    for thread in 0..<4 {
      for number in 0..<10 where cache.value(forKey: "\(thread)-\(number)") != nil {
        #expect(cache.entries()?["\(thread)-\(number)"] != nil)
      }
    }
  }
}
