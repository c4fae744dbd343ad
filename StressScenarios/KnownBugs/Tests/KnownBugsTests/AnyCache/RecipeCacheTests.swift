import Caches
import LockStrategies
import Testing

@testable import KnownBugs

@Suite("A cache of the recipes", .timeLimit(.minutes(10)))
struct RecipeCacheTests {
  @Test("A recipe cache counts every one of many concurrent calls when repaired")
  func countingTogether() async {
    let cache = CountingCache(repaired: true)
    await onThreads(4) { _ in for _ in 0..<500 { cache.countOne("a") } }
    #expect(cache.number(forKey: "a") == 2_000)
  }

  @Test("A recipe cache changes other callers' values when one is edited, and not when repaired")
  func sharing() throws {
    for repaired in [false, true] {
      let cache = SharedValueCache(repaired: repaired)
      cache.setValue([1], forKey: "a", cost: 1)
      let held = try #require(cache.document(forKey: "a"))
      _ = cache.edit("a") { $0 = [2] }
      #expect(held.bytes == (repaired ? [1] : [2]))
    }
  }

  @Test("A recipe cache calls its observer before each store")
  func observing() {
    let told = Counted()
    let cache = ObservedCache(PthreadMutexLock()) { key in
      #expect(key == "a")
      told.note()
    }
    cache.setValue([1], forKey: "a", cost: 1)
    _ = cache.value(forKey: "a")
    #expect(told.notes == 1)
  }

  @Test("A recipe cache completes 2,000 calls under a spin lock that does not yield")
  func spinning() async {
    let lock = SpinLock(offersProcessor: false)
    let cache = LockedCache(lock)
    await onThreads(4) { thread in
      for round in 0..<500 { cache.setValue([1], forKey: "\(thread)-\(round)", cost: 1) }
    }
    #expect(cache.count == 2_000)
    #expect(cache.totalCost == 2_000)
  }
}
