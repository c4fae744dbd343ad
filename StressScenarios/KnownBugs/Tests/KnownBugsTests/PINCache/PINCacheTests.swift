import Caches
import Foundation
import Synchronization
import Testing

@testable import KnownBugs

/// Calls that a block of PINCache may make. Scenarios show the interleavings.
@Suite("PINCache's blocks", .timeLimit(.minutes(10)))
struct PINCacheTests {
  @Test(
    "PINMemoryCache calls its blocks in order, each free to call the cache",
    arguments: [PINVersion.two, .three])
  func memoryBlocks(_ version: PINVersion) {
    let cache = PINMemoryCache(version)
    let told = OperationLog<String>()
    func note(_ what: String) -> PINMemoryCache.ObjectBlock {
      { cache, key, object in
        _ = cache.count
        told.note("\(what) \(key)\(object == nil ? "" : " with object")")
      }
    }
    cache.setEvent(\.willAddObject, note("will add"))
    cache.setEvent(\.didAddObject, note("did add"))
    cache.setEvent(\.willRemoveObject, note("will remove"))
    cache.setEvent(\.didRemoveObject, note("did remove"))
    cache.setObject(PINObject([1]), forKey: "a")
    cache.removeObject(forKey: "a")
    #expect(
      told.notes == [
        "will add a with object", "did add a with object", "will remove a with object",
        "did remove a",
      ])
  }

  @Test("PINDiskCache 3.0.4 calls its blocks in order, each free to call the cache")
  func diskBlocks() {
    let scheduler = PINScheduler()
    let cache = pinDisk3(.version3) { $0.scheduler = scheduler }
    let told = OperationLog<String>()
    func note(_ what: String) -> PINDiskCache3.ObjectBlock {
      { cache, key, _ in
        let isThere = cache.containsObject(forKey: key)
        told.note("\(what) \(key)\(isThere ? ", there" : "")")
      }
    }
    cache.setEvent(\.willAddObject, note("will add"))
    cache.setEvent(\.didAddObject, note("did add"))
    cache.setEvent(\.willRemoveObject, note("will remove"))
    cache.setEvent(\.didRemoveObject, note("did remove"))
    scheduler.waitUntilIdle()
    cache.setObject(PINObject([1]), forKey: "a")
    cache.removeObject(forKey: "a")
    #expect(
      told.notes == [
        "will add a", "did add a, there", "will remove a, there", "did remove a",
      ])
  }

  @Test("A block of either layer of a repaired PINCache may change the pair, and other keys of it")
  func blocksThatChange() throws {
    let scheduler = PINScheduler()
    let cache = pinPair(.three, .repaired) { $0.scheduler = scheduler }
    cache.memory.setEvent(\.didAddObject) { [unowned cache] _, key, _ in
      if key == "a" { cache.setValue([2], forKey: "b", cost: 0) }
    }
    cache.memory.setEvent(\.willRemoveObject) { [unowned cache] memory, key, _ in
      if key == "a" { cache.removeValue(forKey: "b") }
      _ = memory.object(forKey: key)
    }
    let disk = try #require(cache.disk as? PINDiskCache3)
    disk.setEvent(\.didRemoveObject) { [unowned cache] _, key, _ in
      if key == "b" { cache.setValue([3], forKey: "c", cost: 0) }
    }
    // A block of the disk is set later.
    scheduler.waitUntilIdle()
    cache.setValue([1], forKey: "a", cost: 0)
    #expect(cache.value(forKey: "b") == [2])
    cache.removeValue(forKey: "a")
    #expect(cache.value(forKey: "a") == nil && cache.value(forKey: "b") == nil)
    #expect(cache.value(forKey: "c") == [3])
  }

  @Test("A block that removes its own key subtracts the cost twice; repaired it does not")
  func twiceSubtracted() {
    for (changes, total) in [
      (PINChanges.version3, -5), ([.version3, .costReadWhereSubtracted], 0), (.repaired, 0),
    ] {
      let cache = PINMemoryCache(.three, changes: changes)
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
