import Caches
import Dispatch
import Testing

/// The checks that every cache passes on one thread. Scenarios test concurrent calls.
@Suite("Every cache", .hangLimit)
struct CacheConformanceTests {
  @Test("Every cache finds stored values, and no others", arguments: CacheCase.all)
  func reading(_ subject: CacheCase) async {
    await onThread {
      let cache = subject.make()
      #expect(cache.value(forKey: "a") == nil)
      cache.setValue([1, 2, 3], forKey: "a", cost: 3)
      #expect(cache.value(forKey: "a") == [1, 2, 3])
      #expect(cache.value(forKey: "b") == nil)
      #expect(cache.count == 1)
    }
  }

  @Test("Every cache keeps the last of two values under one key", arguments: CacheCase.all)
  func replacing(_ subject: CacheCase) async {
    await onThread {
      let cache = subject.make()
      cache.setValue([1], forKey: "a", cost: 10)
      cache.setValue([2], forKey: "a", cost: 4)
      #expect(cache.value(forKey: "a") == [2])
      #expect(cache.count == 1)
      if let totalCost = cache.totalCost { #expect(totalCost == 4) }
    }
  }

  @Test("Every cache no longer finds removed values", arguments: CacheCase.all)
  func removing(_ subject: CacheCase) async {
    await onThread {
      let cache = subject.make()
      for key in ["a", "b", "c"] { cache.setValue([7], forKey: key, cost: 5) }
      cache.removeValue(forKey: "b")
      cache.removeValue(forKey: "never stored")
      #expect(cache.value(forKey: "b") == nil)
      #expect(cache.value(forKey: "c") == [7])
      #expect(cache.count == 2)
      if let totalCost = cache.totalCost { #expect(totalCost == 10) }
      cache.removeAllValues()
      #expect(cache.value(forKey: "a") == nil)
      #expect(cache.count == 0)
      if let totalCost = cache.totalCost { #expect(totalCost == 0) }
    }
  }

  @Test("Every cache shows its entries as they are", arguments: CacheCase.builtIn)
  func entries(_ subject: CacheCase) async {
    await onThread {
      let cache = subject.make()
      cache.setValue([1], forKey: "a", cost: 10)
      cache.setValue([], forKey: "b", cost: 0)
      // A read, so that an access is noted too.
      _ = cache.value(forKey: "a")
      #expect(cache.totalCost == 10)
      #expect(
        cache.entries() == ["a": .init(value: [1], cost: 10), "b": .init(value: [], cost: 0)])
    }
  }

  @Test("Every cache behaves the same in the asynchronous forms", arguments: CacheCase.all)
  func asynchronously(_ subject: CacheCase) async {
    let cache = subject.make()
    await withCheckedContinuation { continuation in
      cache.setValue([9], forKey: "a", cost: 1) { continuation.resume() }
    }
    #expect(await value(in: cache, forKey: "a") == [9])
    await withCheckedContinuation { continuation in
      cache.removeValue(forKey: "a") { continuation.resume() }
    }
    #expect(await value(in: cache, forKey: "a") == nil)
  }

  private func value(in cache: any Cache, forKey key: String) async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      cache.value(forKey: key) { continuation.resume(returning: $0) }
    }
  }
}
