import Caches
import Foundation
import Synchronization
import Testing

@testable import KnownBugs

/// Counts calls from any thread.
final class Counted: Sendable {
  private let count = Atomic(0)
  func note() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  var notes: Int { count.load(ordering: .sequentiallyConsistent) }
}

/// Calls of Foundation's NSCache on Linux by its handlers and by many threads.
@Suite(
  "Foundation's NSCache", .timeLimit(.minutes(10)),
  .enabled(if: FoundationCache.lackingForPeculiarities == nil))
struct FoundationCacheTests {
  private func fill(_ cache: FoundationCache, _ costs: KeyValuePairs<String, Int>) {
    for (key, cost) in costs { cache.setValue([1], forKey: key, cost: cost) }
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
