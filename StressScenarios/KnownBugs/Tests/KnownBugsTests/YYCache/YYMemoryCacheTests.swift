import Dispatch
import Synchronization
import Testing

import Caches
@testable import KnownBugs

/// As shipped and repaired, which behave alike on one thread.
private let bothKinds: [YYMemoryRepairs] = [[], .all]

@Suite("YYMemoryCache", .timeLimit(.minutes(10)))
struct YYMemoryCacheTests {
  private func cache(_ repairs: YYMemoryRepairs, keys: String...) -> YYMemoryCache {
    let cache = YYMemoryCache(repairs: repairs, autoTrimInterval: 0)
    for key in keys { cache.setValue([1], forKey: key, cost: 1) }
    return cache
  }

  @Test("YYMemoryCache keeps its entries in the order of their use", arguments: bothKinds)
  func order(_ repairs: YYMemoryRepairs) {
    let cache = cache(repairs, keys: "a", "b", "c", "d")
    #expect(cache.keysInOrder == ["d", "c", "b", "a"])
    _ = cache.value(forKey: "a")
    #expect(cache.keysInOrder == ["a", "d", "c", "b"])
    _ = cache.value(forKey: "d")
    #expect(cache.keysInOrder == ["d", "a", "c", "b"])
    cache.setValue([2], forKey: "b", cost: 1)
    #expect(cache.keysInOrder == ["b", "d", "a", "c"])
    // A check for presence does not count as a use.
    #expect(cache.containsObject(forKey: "c"))
    cache.removeValue(forKey: "d")
    #expect(cache.keysInOrder == ["b", "a", "c"])
    cache.removeValue(forKey: "b")
    cache.removeValue(forKey: "c")
    #expect(cache.keysInOrder == ["a"])
    cache.removeValue(forKey: "a")
    #expect(cache.keysInOrder.isEmpty)
    cache.setValue([3], forKey: "e", cost: 1)
    #expect(cache.keysInOrder == ["e"])
  }

  @Test(
    "YYMemoryCache removes the least recently used above the count limit, one for each set",
    arguments: bothKinds)
  func countLimit(_ repairs: YYMemoryRepairs) {
    let cache = cache(repairs, keys: "a", "b", "c")
    cache.countLimit = 3
    _ = cache.value(forKey: "a")
    cache.setValue([1], forKey: "d", cost: 1)
    #expect(cache.keysInOrder == ["d", "a", "c"])
    cache.countLimit = 1
    cache.setValue([1], forKey: "e", cost: 1)
    #expect(cache.keysInOrder == ["e", "d", "a"])
    cache.trim(toCount: 1)
    #expect(cache.keysInOrder == ["e"])
    cache.trim(toCount: 0)
    #expect(cache.totalCount == 0 && cache.totalCost == 0)
  }

  @Test(
    "YYMemoryCache calls its blocks, and then removes everything if its flags say so",
    arguments: bothKinds)
  func notifications(_ repairs: YYMemoryRepairs) {
    let cache = cache(repairs, keys: "a", "b")
    let calls = Locked<[String]>([])
    cache.didReceiveMemoryWarningBlock = { cache in
      calls.withLock { $0.append("warning with \(cache.totalCount)") }
    }
    cache.didEnterBackgroundBlock = { cache in
      calls.withLock { $0.append("background with \(cache.totalCount)") }
    }
    cache.removesAllOnMemoryWarning = false
    cache.didReceiveMemoryWarning()
    cache.removesAllInBackground = false
    cache.didEnterBackground()
    #expect(cache.totalCount == 2)
    cache.removesAllOnMemoryWarning = true
    cache.didReceiveMemoryWarning()
    #expect(cache.totalCount == 0)
    cache.setValue([1], forKey: "c", cost: 1)
    cache.removesAllInBackground = true
    cache.didEnterBackground()
    #expect(cache.totalCount == 0)
    cache.didReceiveMemoryWarningBlock = nil
    cache.didEnterBackgroundBlock = nil
    cache.didReceiveMemoryWarning()
    cache.didEnterBackground()
    #expect(
      calls.withLock { $0 } == [
        "warning with 2", "background with 2", "warning with 2", "background with 1",
      ])
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
      #expect(cache.totalCount == 0)
    }
  }

  @Test("YYMemoryCache removes entries above the age limit", arguments: bothKinds)
  func age(_ repairs: YYMemoryRepairs) {
    let time = Locked(100.0)
    let cache = YYMemoryCache(
      repairs: repairs, autoTrimInterval: 0, clock: { time.withLock { $0 } })
    for key in ["a", "b", "c"] {
      cache.setValue([1], forKey: key, cost: 1)
      time.withLock { $0 += 10 }
    }
    _ = cache.value(forKey: "a")
    time.withLock { $0 += 5 }
    cache.trim(toAge: 20)
    #expect(cache.keysInOrder == ["a", "c"])
    cache.trim(toAge: 5)
    #expect(cache.keysInOrder == ["a"])
    cache.trim(toAge: 0)
    #expect(cache.keysInOrder.isEmpty)
  }

  @Test("YYMemoryCache trims to its limits automatically", arguments: bothKinds)
  func automatically(_ repairs: YYMemoryRepairs) async {
    let died = DispatchSemaphore(value: 0)
    await onThread {
      let cache = YYMemoryCache(repairs: repairs, autoTrimInterval: 0.001)
      cache.setObject(Mourned { died.signal() }, forKey: "a")
      cache.ageLimit = 0
      died.wait()
      #expect(!cache.containsObject(forKey: "a"))
    }
  }

  @Test("YYMemoryCache releases removed objects on a queue, or at once", arguments: bothKinds)
  func release(_ repairs: YYMemoryRepairs) async {
    await onThread {
      let cache = cache(repairs)
      let died = DispatchSemaphore(value: 0)
      cache.setObject(Mourned { died.signal() }, forKey: "a")
      cache.removeAllObjects()
      died.wait()

      cache.releasesAsynchronously = false
      let deaths = Atomic(0)
      func store() {
        cache.setObject(Mourned { deaths.add(1, ordering: .relaxed) }, forKey: "a")
      }
      store()
      store()
      #expect(deaths.load(ordering: .relaxed) == 1)
      cache.removeObject(forKey: "a")
      #expect(deaths.load(ordering: .relaxed) == 2)
      store()
      cache.countLimit = 1
      cache.setValue([1], forKey: "b", cost: 1)
      #expect(deaths.load(ordering: .relaxed) == 3)
      store()
      cache.removeAllObjects()
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
          cache.setObject(Mourned { [unowned cache] in _ = cache.totalCount }, forKey: "a")
        }
        store()
        cache.removeObject(forKey: "a")
        guard repairs == .all else { continue }
        store()
        store()
        cache.removeAllObjects()
        cache.countLimit = 1
        store()
        cache.setValue([1], forKey: "b", cost: 1)
        #expect(cache.keysInOrder == ["b"])
      }
    }
  }

  @Test("YYMemoryCache agrees with a plain list over many calls", arguments: bothKinds)
  func model(_ repairs: YYMemoryRepairs) {
    let cache = cache(repairs)
    var random = SystemRandomNumberGenerator()
    var order: [(key: String, cost: Int)] = []
    for _ in 0..<3000 {
      let key = "key-\(random.next() % 12)"
      switch random.next() % 8 {
      case 0:
        cache.removeValue(forKey: key)
        order.removeAll { $0.key == key }
      case 1:
        let limit = Int(random.next() % 12)
        cache.trim(toCount: limit)
        order.removeLast(max(0, order.count - limit))
      case 2...4:
        let found = cache.value(forKey: key) != nil
        let index = order.firstIndex { $0.key == key }
        #expect(found == (index != nil))
        if let index { order.insert(order.remove(at: index), at: 0) }
      default:
        let cost = Int(random.next() % 100)
        cache.setValue([1], forKey: key, cost: cost)
        order.removeAll { $0.key == key }
        order.insert((key, cost), at: 0)
      }
      #expect(cache.keysInOrder == order.map(\.key))
      #expect(cache.totalCost == order.reduce(0) { $0 + $1.cost })
    }
    #expect(Set(cache.entries()?.keys.map { $0 } ?? []) == Set(order.map(\.key)))
  }

  @Test("YYMemoryCache, repaired, works with many threads, and requests one trim at a time")
  func manyThreads() async throws {
    let cache = YYMemoryCache(repairs: .all, autoTrimInterval: 0)
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
    #expect(cache.totalCost == cache.totalCount)
    #expect(Set(cache.keysInOrder) == Set(cache.entries()?.keys.map { $0 } ?? []))
    #expect((1...2).contains(cache.mostTrimsAtOnce))
  }
}

/// An object that records its `deinit`.
private final class Mourned: Sendable {
  private let atEnd: @Sendable () -> Void

  init(_ atEnd: @escaping @Sendable () -> Void) {
    self.atEnd = atEnd
  }

  deinit { atEnd() }
}
