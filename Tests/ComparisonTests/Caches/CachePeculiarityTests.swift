import Caches
import Testing

@Suite("A cache", .hangLimit)
struct CachePeculiarityTests {
  @Test("A cache that is an actor stores, finds and removes")
  func actorCache() async {
    let cache: any AsyncCache = ActorCache()
    await cache.setValue([1], forKey: "a", cost: 10)
    await cache.setValue([2], forKey: "b", cost: 5)
    #expect(await cache.value(forKey: "a") == [1])
    #expect(await cache.totalCost == 15)
    await cache.removeValue(forKey: "a")
    #expect(await cache.value(forKey: "a") == nil)
    #expect(await cache.entries() == ["b": .init(value: [2], cost: 5)])
    await cache.removeAllValues()
    #expect(await cache.count == 0)
    #expect(await cache.totalCost == 0)
  }

  @Test("A cache with a reentrant serial queue traps only when it is read")
  func reentrantSerialQueue() async {
    await #expect(processExitsWith: .success) {
      let cache = ReentrantSerialQueueCache()
      cache.setValue([1], forKey: "a", cost: 1)
      _ = cache.value(forKey: "nothing")
      precondition(cache.count == 1)
      cache.setValue([2], forKey: "b", cost: 2)
      precondition(cache.totalCost == 3)
      cache.removeValue(forKey: "a")
      precondition(cache.entries() == ["b": .init(value: [2], cost: 2)])
      cache.removeAllValues()
      precondition(cache.entries() == [:])
    }
    await #expect(processExitsWith: .failure) {
      let cache = ReentrantSerialQueueCache()
      cache.setValue([1], forKey: "a", cost: 1)
      _ = cache.value(forKey: "a")
    }
  }

  @Test("Every cache with only the five required methods keeps no costs and shows no entries")
  func defaults() {
    let cache = FiveMethods()
    #expect(cache.totalCost == nil)
    #expect(cache.entries() == nil)
  }
}
