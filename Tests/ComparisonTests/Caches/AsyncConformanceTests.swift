import Caches
import Testing

@Suite("Every asynchronous cache", .hangLimit)
struct AsyncCacheConformanceTests {
  @Test(
    "Every asynchronous cache finds stored values, and no others",
    arguments: AsyncCacheCase.all)
  func reading(_ subject: AsyncCacheCase) async {
    let cache = subject.make()
    #expect(await cache.value(forKey: "a") == nil)
    await cache.setValue([1, 2, 3], forKey: "a", cost: 3)
    #expect(await cache.value(forKey: "a") == [1, 2, 3])
    #expect(await cache.value(forKey: "b") == nil)
    #expect(await cache.count == 1)
  }

  @Test(
    "Every asynchronous cache keeps the last of two values under one key",
    arguments: AsyncCacheCase.all)
  func replacing(_ subject: AsyncCacheCase) async {
    let cache = subject.make()
    await cache.setValue([1], forKey: "a", cost: 10)
    await cache.setValue([2], forKey: "a", cost: 4)
    #expect(await cache.value(forKey: "a") == [2])
    #expect(await cache.count == 1)
    #expect(await cache.totalCost == 4)
  }

  @Test("Every asynchronous cache no longer finds removed values", arguments: AsyncCacheCase.all)
  func removing(_ subject: AsyncCacheCase) async {
    let cache = subject.make()
    for key in ["a", "b", "c"] { await cache.setValue([7], forKey: key, cost: 5) }
    await cache.removeValue(forKey: "b")
    await cache.removeValue(forKey: "never stored")
    #expect(await cache.value(forKey: "b") == nil)
    #expect(
      await cache.entries() == ["a": .init(value: [7], cost: 5), "c": .init(value: [7], cost: 5)])
    #expect(await cache.totalCost == 10)
    await cache.removeAllValues()
    #expect(await cache.value(forKey: "a") == nil)
    #expect(await cache.count == 0)
    #expect(await cache.totalCost == 0)
  }
}
