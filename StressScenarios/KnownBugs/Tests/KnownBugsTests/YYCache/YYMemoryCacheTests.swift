import Caches
import Dispatch
import Synchronization
import Testing

@testable import KnownBugs

/// The cache as shipped and as repaired; both behave alike on one thread.
private let bothKinds: [YYMemoryRepairs] = [[], .all]

@Suite("YYMemoryCache", .timeLimit(.minutes(10)))
struct YYMemoryCacheTests {
  private func cache(_ repairs: YYMemoryRepairs, keys: String...) -> YYMemoryCache {
    let cache = YYMemoryCache(repairs: repairs)
    for key in keys { cache.setValue([1], forKey: key, cost: 1) }
    return cache
  }

  @Test("YYMemoryCache trims to the cost limit on its queue", arguments: bothKinds)
  func costLimit(_ repairs: YYMemoryRepairs) async {
    await onThread {
      let cache = cache(repairs)
      cache.costLimit = 10
      for key in 0..<100 { cache.setValue([1], forKey: "key-\(key)", cost: 3) }
      cache.waitForTrims()
      #expect(cache.totalCost == 9)
      #expect(cache.keysInOrder == ["key-99", "key-98", "key-97"])
      cache.setValue([1], forKey: "key-98", cost: 8)
      cache.waitForTrims()
      #expect(cache.keysInOrder == ["key-98"])
      cache.trim(toCost: 0)
      #expect(cache.count == 0)
    }
  }

  @Test("YYMemoryCache releases removed objects on a queue, or at once", arguments: bothKinds)
  func release(_ repairs: YYMemoryRepairs) async {
    await onThread {
      let cache = cache(repairs)
      let died = DispatchSemaphore(value: 0)
      cache.setObject(CachedObject([]) { died.signal() }, forKey: "a")
      cache.removeAllValues()
      died.wait()

      cache.releasesAsynchronously = false
      let deaths = Atomic(0)
      func store() {
        cache.setObject(CachedObject([]) { deaths.add(1, ordering: .relaxed) }, forKey: "a")
      }
      store()
      store()
      #expect(deaths.load(ordering: .relaxed) == 1)
      cache.removeValue(forKey: "a")
      #expect(deaths.load(ordering: .relaxed) == 2)
      store()
      cache.countLimit = 1
      cache.setValue([1], forKey: "b", cost: 1)
      #expect(deaths.load(ordering: .relaxed) == 3)
      store()
      cache.removeAllValues()
      #expect(deaths.load(ordering: .relaxed) == 4)
    }
  }

  @Test(
    "YYMemoryCache may be called by a value's deinit: repaired always, as shipped after a remove")
  func reentrantDeath() async {
    await onThread {
      for repairs in bothKinds {
        let cache = cache(repairs)
        cache.releasesAsynchronously = false
        func store() {
          cache.setObject(CachedObject([]) { [unowned cache] in _ = cache.count }, forKey: "a")
        }
        store()
        cache.removeValue(forKey: "a")
        guard repairs == .all else { continue }
        store()
        store()
        cache.removeAllValues()
        cache.countLimit = 1
        store()
        cache.setValue([1], forKey: "b", cost: 1)
        #expect(cache.keysInOrder == ["b"])
      }
    }
  }

  @Test("YYMemoryCache, repaired, works with many threads, and requests one trim at a time")
  func manyThreads() async throws {
    let cache = YYMemoryCache(repairs: .all)
    cache.costLimit = 5
    await onThreads(4) { thread in
      for round in 0..<500 {
        cache.setValue([UInt8(thread)], forKey: "key-\(round % 20)", cost: 1)
        _ = cache.value(forKey: "key-\((round + thread) % 20)")
        if round % 100 == 99 { cache.trim(toCount: 2) }
      }
    }
    await onThread { cache.waitForTrims() }
    #expect(try #require(cache.totalCost) <= 5)
    #expect(cache.totalCost == cache.count)
    #expect(Set(cache.keysInOrder) == Set(cache.entries()?.keys.map { $0 } ?? []))
    #expect((1...2).contains(cache.mostTrimsAtOnce))
  }
}
