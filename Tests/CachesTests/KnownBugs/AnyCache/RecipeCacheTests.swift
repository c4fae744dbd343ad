import Caches
import KnownBugs
import LockStrategies
import Testing

@Suite("A cache of the recipes", .timeLimit(.minutes(10)))
struct RecipeCacheTests {
  @Test("counts, from nothing, one call after the other", arguments: [false, true])
  func counting(repaired: Bool) {
    let cache = CountingCache(repaired: repaired)
    for _ in 0..<300 { cache.countOne("a") }
    #expect(cache.number(forKey: "a") == 300)
    #expect(cache.number(forKey: "b") == 0)
    cache.setValue([1], forKey: "b", cost: 1)
    cache.countOne("b")
    #expect(cache.number(forKey: "b") == 2)
  }

  @Test("counts every call of many at a time, repaired")
  func countingTogether() async {
    let cache = CountingCache(repaired: true)
    await onThreads(4) { _ in for _ in 0..<500 { cache.countOne("a") } }
    #expect(cache.number(forKey: "a") == 2_000)
  }

  @Test("has its values edited", arguments: [false, true])
  func editing(repaired: Bool) {
    let cache = SharedValueCache(repaired: repaired)
    #expect(!cache.edit("a") { $0 = [9] })
    cache.setValue([1, 2], forKey: "a", cost: 2)
    #expect(cache.edit("a") { $0[0] = 7 })
    #expect(cache.value(forKey: "a") == [7, 2])
    #expect(cache.totalCost == 2)
  }

  @Test("changes what others hold when a value is edited, and does not where it is repaired")
  func sharing() throws {
    for repaired in [false, true] {
      let cache = SharedValueCache(repaired: repaired)
      cache.setValue([1], forKey: "a", cost: 1)
      let held = try #require(cache.document(forKey: "a"))
      _ = cache.edit("a") { $0 = [2] }
      #expect(held.bytes == (repaired ? [1] : [2]))
    }
  }

  @Test("tells of each store before it is done")
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

  @Test("lets 2,000 through a spin lock that offers nothing")
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
