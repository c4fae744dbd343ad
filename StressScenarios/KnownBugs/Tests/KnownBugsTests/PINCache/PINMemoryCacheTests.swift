import Caches
import KnownBugs
import Foundation
import Synchronization
import Testing

@Suite("PINMemoryCache", .timeLimit(.minutes(10)))
struct PINMemoryCacheTests {
  private func cache(
    _ version: PINVersion, _ changes: PINChanges? = nil, ttl: Bool = false,
    _ strategy: PINEvictionStrategy = .leastRecentlyUsed
  ) -> PINMemoryCache {
    PINMemoryCache(version, changes: changes, isTTLCache: ttl, evictionStrategy: strategy)
  }

  private func keys(of cache: PINMemoryCache) -> Set<String> { Set((cache.entries() ?? [:]).keys) }

  @Test("PINMemoryCache 2.0 adds the cost of a value that is replaced, 3.0.4 does not")
  func replacedCost() {
    for (version, total) in [(PINVersion.two, 50), (.three, 5)] {
      let cache = cache(version)
      for _ in 0..<10 { cache.setObject(PINObject([1]), forKey: "a", withCost: 5) }
      #expect(cache.totalCost == total)
    }
  }

  @Test("PINMemoryCache evicts the least recently used", arguments: [PINVersion.two, .three])
  func leastRecentlyUsed(_ version: PINVersion) {
    let cache = cache(version)
    for key in ["a", "b", "c"] { cache.setObject(PINObject([1]), forKey: key, withCost: 10) }
    _ = cache.object(forKey: "a")
    cache.costLimit = 20
    #expect(keys(of: cache) == ["a", "c"])
    cache.setObject(PINObject([1]), forKey: "d", withCost: 10)
    #expect(keys(of: cache) == ["a", "d"])
  }

  @Test("PINMemoryCache evicts the least frequently used, where that is set")
  func leastFrequentlyUsed() {
    let cache = cache(.three, nil, .leastFrequentlyUsed)
    for key in ["a", "b", "c"] { cache.setObject(PINObject([1]), forKey: key, withCost: 10) }
    for _ in 0..<3 { _ = cache.object(forKey: "a") }
    _ = cache.object(forKey: "b")
    _ = cache.object(forKey: "b")
    _ = cache.object(forKey: "c")
    cache.trimToCostByEvictionStrategy(20)
    #expect(keys(of: cache) == ["a", "b"])
  }

  private func cache(
    _ version: PINVersion, _ changes: PINChanges?, _ strategy: PINEvictionStrategy
  ) -> PINMemoryCache { cache(version, changes, ttl: false, strategy) }

  @Test("PINMemoryCache trims by cost, the costliest first", arguments: [PINVersion.two, .three])
  func trimToCost(_ version: PINVersion) {
    let cache = cache(version)
    for (key, cost) in [("a", 1), ("b", 7), ("c", 3)] {
      cache.setObject(PINObject([1]), forKey: key, withCost: UInt(cost))
    }
    cache.trimToCost(4)
    #expect(keys(of: cache) == ["a", "c"])
    #expect(cache.totalCost == 4)
  }

  @Test(
    "PINMemoryCache trims by date; the distant past removes everything",
    arguments: [PINVersion.two, .three])
  func trimToDate(_ version: PINVersion) {
    let cache = cache(version)
    cache.setObject(PINObject([1]), forKey: "old")
    let between = Date()
    cache.setObject(PINObject([1]), forKey: "new")
    cache.trim(to: between)
    #expect(keys(of: cache) == ["new"])
    cache.trim(to: .distantPast)
    #expect(cache.count == 0)
  }

  @Test("PINMemoryCache hides objects older than their age limit, and removes them on request")
  func ageLimits() {
    let cache = cache(.three, ttl: true)
    cache.setObject(PINObject([1]), forKey: "short", ageLimit: 1e-9)
    cache.setObject(PINObject([1]), forKey: "long", ageLimit: 1000)
    #expect(cache.object(forKey: "short") == nil)
    #expect(cache.object(forKey: "long") != nil)
    #expect(cache.containsObject(forKey: "short"))
    cache.removeExpiredObjects()
    #expect(!cache.containsObject(forKey: "short"))
    #expect(cache.containsObject(forKey: "long"))
  }

  @Test(
    "PINMemoryCache 2 as a TTL cache hides objects by their last use, repaired by their age",
    arguments: [PINVersion.two.shipped, .repaired])
  func ageUnderSemaphore(_ changes: PINChanges) {
    let date = Locked(Date())
    let cache = PINMemoryCache(
      .two, changes: changes, isTTLCache: true, clock: { date.withLock { $0 } })
    #expect(cache.isTTLCache)
    cache.setObject(PINObject([1]), forKey: "used", ageLimit: 100)
    cache.setObject(PINObject([1]), forKey: "unused", ageLimit: 100)
    date.withLock { $0 += 60 }
    #expect(cache.object(forKey: "used") != nil)
    date.withLock { $0 += 60 }
    #expect((cache.object(forKey: "used") != nil) == !changes.contains(.agedByCreation))
    #expect(cache.object(forKey: "unused") == nil)
  }

  @Test("an age limit trims at once")
  func ageLimitTrims() {
    let cache = cache(.three, .repaired)
    cache.setObject(PINObject([1]), forKey: "a")
    cache.ageLimit = 1e-6
    #expect(cache.count == 0)
    cache.ageLimit = 0
  }

  @Test(
    "PINMemoryCache calls its six blocks in order, each free to call the cache",
    arguments: [PINVersion.two, .three])
  func events(_ version: PINVersion) {
    let cache = cache(version)
    let told = Locked<[String]>([])
    func note(_ what: String) -> PINMemoryCache.ObjectBlock {
      { cache, key, object in
        _ = cache.count
        told.withLock { $0.append("\(what) \(key)\(object == nil ? "" : " with object")") }
      }
    }
    cache.setEvent(\.willAddObject, note("will add"))
    cache.setEvent(\.didAddObject, note("did add"))
    cache.setEvent(\.willRemoveObject, note("will remove"))
    cache.setEvent(\.didRemoveObject, note("did remove"))
    cache.setEvent(\.willRemoveAllObjects) { _ in told.withLock { $0.append("will remove all") } }
    cache.setEvent(\.didRemoveAllObjects) { _ in told.withLock { $0.append("did remove all") } }
    cache.setObject(PINObject([1]), forKey: "a")
    cache.removeObject(forKey: "a")
    cache.removeAllObjects()
    #expect(
      told.withLock { $0 } == [
        "will add a with object", "did add a with object", "will remove a with object",
        "did remove a", "will remove all", "did remove all",
      ])
    #expect(cache.event(\.willAddObject) != nil)
  }

  @Test("PINMemoryCache shows its objects in order until the block returns false")
  func enumeration() {
    for changes in [PINChanges.version3, .repaired] {
      let cache = cache(.three, changes)
      for key in ["a", "b", "c"] { cache.setObject(PINObject([1]), forKey: key) }
      var seen: [String] = []
      cache.enumerateObjects { key, _ in
        seen.append(key)
        return key != "b"
      }
      #expect(seen == ["a", "b"])
    }
  }

  @Test("PINMemoryCache empties itself at a memory warning, and calls its block")
  func memoryWarning() async {
    let cache = cache(.three)
    cache.setObject(PINObject([1]), forKey: "a")
    await withCheckedContinuation { continuation in
      cache.setEvent(\.didRemoveAllObjects) { _ in continuation.resume() }
      cache.didReceiveMemoryWarning()
    }
    #expect(cache.count == 0)
    cache.setObject(PINObject([1]), forKey: "a")
    await withCheckedContinuation { continuation in
      cache.updatePressure {
        $0.removesAllInBackground = false
        $0.didEnterBackground = { _ in continuation.resume() }
      }
      cache.didEnterBackground()
    }
    #expect(cache.count == 1)
  }

  @Test("PINMemoryCache returns the object itself, or a copy where that is set")
  func references() throws {
    let shared = cache(.three)
    shared.setObject(PINObject([1]), forKey: "a")
    try #require(shared.object(forKey: "a")).append([2])
    #expect(shared.value(forKey: "a") == [1, 2])
    let copying = cache(.three, [.version3, .objectsCopied])
    copying.setObject(PINObject([1]), forKey: "a")
    try #require(copying.object(forKey: "a")).append([2])
    #expect(copying.value(forKey: "a") == [1])
  }

  @Test(
    "a block that removes its own key subtracts the cost twice; repaired it does not"
  )
  func twiceSubtracted() {
    for (changes, total) in [
      (PINChanges.version3, -5), ([.version3, .costReadWhereSubtracted], 0), (.repaired, 0),
    ] {
      let cache = cache(.three, changes)
      cache.setObject(PINObject([1]), forKey: "a", withCost: 5)
      let isFirst = Atomic(true)
      cache.setEvent(\.willRemoveObject) { cache, key, _ in
        if isFirst.exchange(false, ordering: .relaxed) { cache.removeObject(forKey: key) }
      }
      cache.removeObject(forKey: "a")
      #expect(cache.totalCost == total)
    }
  }
}
