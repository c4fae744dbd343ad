import Caches
import KnownBugs
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("TMCache's memory cache", .timeLimit(.minutes(10)))
struct TMMemoryCacheTests {
  typealias MemoryCache = TMMemoryCache<String>
  static let both: [TMRepairs] = [.almostNone, .all]

  @Test("TMMemoryCache trims to a cost, the costliest first", arguments: both)
  func trimToCost(_ repairs: TMRepairs) async {
    await onThread {
      let cache = MemoryCache(repairs: repairs)
      for (key, cost) in [("a", 1), ("b", 7), ("c", 3)] {
        cache.setObject(key, forKey: key, cost: cost)
      }
      cache.trim(toCost: 4)
      #expect(cache.object(forKey: "a") == "a")
      #expect(cache.object(forKey: "b") == nil)
      #expect(cache.object(forKey: "c") == "c")
      #expect(cache.totalCost == 4)
    }
  }

  @Test("TMMemoryCache trims to a cost by date, the least recently used first", arguments: both)
  func trimToCostByDate(_ repairs: TMRepairs) async {
    await onThread {
      let cache = MemoryCache(repairs: repairs)
      for key in ["a", "b", "c"] { cache.setObject(key, forKey: key, cost: 1) }
      #expect(cache.object(forKey: "a") == "a")
      cache.trim(toCostByDate: 2)
      #expect(cache.object(forKey: "b") == nil)
      #expect(cache.object(forKey: "a") == "a")
    }
  }

  @Test("TMMemoryCache keeps to its cost limit from when it is set", arguments: both)
  func costLimit(_ repairs: TMRepairs) async {
    await onThread {
      let cache = MemoryCache(repairs: repairs)
      for key in ["a", "b", "c"] { cache.setObject(key, forKey: key, cost: 1) }
      cache.costLimit = 2
      #expect(cache.costLimit == 2)
      #expect(cache.object(forKey: "a") == nil)
      cache.setObject("d", forKey: "d", cost: 1)
      #expect(cache.totalCost == 2)
      #expect(cache.object(forKey: "b") == nil)
      #expect(cache.object(forKey: "d") == "d")
      cache.setObject("e", forKey: "e", cost: 3)
      #expect(cache.object(forKey: "e") == nil, "too costly by itself")
      #expect(cache.totalCost == 0)
    }
  }

  @Test(
    "TMMemoryCache trims to a date, and removes everything for the distant past", arguments: both)
  func trimToDate(_ repairs: TMRepairs) async {
    await onThread {
      let cache = MemoryCache(repairs: repairs)
      cache.setObject("a", forKey: "a")
      let between = Date()
      cache.setObject("b", forKey: "b")
      cache.trim(toDate: between)
      #expect(cache.object(forKey: "a") == nil)
      #expect(cache.object(forKey: "b") == "b")
      cache.trim(toDate: .distantPast)
      #expect(cache.object(forKey: "b") == nil)
    }
  }

  @Test("TMMemoryCache enumerates the least recently used first", arguments: both)
  func enumeration(_ repairs: TMRepairs) async {
    await onThread {
      let cache = MemoryCache(repairs: repairs)
      for key in ["a", "b", "c"] { cache.setObject(key + key, forKey: key) }
      _ = cache.object(forKey: "a")
      let seen = TMNotes<String>()
      cache.enumerateObjects { key, object in seen.add("\(key) \(object ?? "nothing")") }
      #expect(seen.all == ["b bb", "c cc", "a aa"])
    }
  }

  @Test("TMMemoryCache calls its blocks before and after each change", arguments: both)
  func blocks(_ repairs: TMRepairs) async {
    await onThread {
      let cache = MemoryCache(repairs: repairs)
      let told = TMNotes<String>()
      cache.willAddObject = { _, key, object in told.add("will add \(key) \(object ?? "")") }
      cache.didAddObject = { _, key, object in told.add("did add \(key) \(object ?? "")") }
      cache.willRemoveObject = { _, key, object in told.add("will remove \(key) \(object ?? "")") }
      cache.didRemoveObject = { _, key, _ in told.add("did remove \(key)") }
      cache.willRemoveAllObjects = { _ in told.add("will remove all") }
      cache.didRemoveAllObjects = { _ in told.add("did remove all") }
      cache.setObject("x", forKey: "a")
      cache.removeObject(forKey: "a")
      cache.removeAllObjects()
      #expect(
        told.all == [
          "will add a x", "did add a x", "will remove a x", "did remove a", "will remove all",
          "did remove all",
        ])
      #expect(cache.willAddObject != nil)
      cache.willAddObject = nil
      #expect(cache.willAddObject == nil)
    }
  }

  @Test(
    "TMMemoryCache empties itself on a memory warning and in the background, if set",
    arguments: both)
  func warnings(_ repairs: TMRepairs) async {
    let cache = MemoryCache(repairs: repairs)
    await onThread { cache.setObject("a", forKey: "a") }
    cache.removesAllOnMemoryWarning.store(false, ordering: .relaxed)
    // As in the original's test: a synchronous read within the block, on another thread of the
    // queue.
    let found: String? = await withCheckedContinuation { continuation in
      cache.didReceiveMemoryWarning = { continuation.resume(returning: $0.object(forKey: "a")) }
      cache.handleMemoryWarning()
    }
    #expect(found == "a")
    await withCheckedContinuation { continuation in
      cache.didEnterBackground = { _ in continuation.resume() }
      cache.handleEnteringBackground()
    }
    await onThread { #expect(cache.object(forKey: "a") == nil) }
  }

  @Test("TMMemoryCache removes objects unused for longer than the age limit", arguments: both)
  func ageLimit(_ repairs: TMRepairs) async {
    let cache = MemoryCache(repairs: repairs)
    await onThread { cache.setObject("a", forKey: "a") }
    let removed: String = await withCheckedContinuation { continuation in
      cache.didRemoveObject = { _, key, _ in continuation.resume(returning: key) }
      cache.ageLimit = 0.02
    }
    #expect(removed == "a")
    cache.ageLimit = 0
    #expect(cache.ageLimit == 0)
  }

  @Test(
    "TMMemoryCache starts another age timer at each setting, and only one when repaired"
  )
  func ageTimers() {
    for (repairs, timers) in [(TMRepairs(), 20), (.oneAgeTimer, 1), (.all, 1)] {
      let cache = MemoryCache(repairs: repairs)
      for _ in 0..<20 { cache.ageLimit = 600 }
      #expect(cache.ageTimers == timers, "\(repairs)")
      cache.ageLimit = 0
    }
  }

  @Test(
    "TMMemoryCache keeps the cost of replaced objects in its sum as shipped, and not when repaired"
  )
  func totalCost() async {
    await onThread {
      for (repairs, cost) in [(TMRepairs(), 15), (.exactTotals, 5), (.all, 5)] {
        let cache = MemoryCache(repairs: repairs)
        for _ in 0..<3 { cache.setObject("a", forKey: "a", cost: 5) }
        #expect(cache.totalCost == cost, "\(repairs)")
      }
    }
  }

  @Test("TMMemoryCache completes a call without a key, when repaired")
  func withoutKey() async {
    for repairs in [TMRepairs.answersAlways, .all] {
      let cache = MemoryCache(repairs: repairs)
      let found: String? = await withCheckedContinuation { continuation in
        cache.object(forKey: nil) { continuation.resume(returning: $0) }
      }
      #expect(found == nil)
      await withCheckedContinuation { continuation in
        cache.setObject("a", forKey: nil) { continuation.resume() }
      }
      await withCheckedContinuation { continuation in
        cache.removeObject(forKey: nil) { continuation.resume() }
      }
    }
  }

  @Test("TMMemoryCache can be called from its blocks and from its objects' deinit, when repaired")
  func reentrance() async {
    await onThread {
      let cache = TMMemoryCache<TMMortal>(repairs: .all)
      let told = TMNotes<String>()
      cache.willAddObject = { cache, key, _ in
        told.add("\(key): \(cache.object(forKey: key) == nil), \(cache.totalCost ?? -1)")
      }
      cache.setObject(
        TMMortal { told.add("end 1, \(cache.totalCost ?? -1)") }, forKey: "a", cost: 3)
      cache.setObject(
        TMMortal { told.add("end 2, \(cache.totalCost ?? -1)") }, forKey: "a", cost: 4)
      cache.enumerateObjects { key, _ in cache.removeObject(forKey: key) }
      #expect(told.all == ["a: true, 0", "a: false, 3", "end 1, 4", "end 2, 0"])
    }
  }

  @Test("TMMemoryCache deadlocks or traps in a getter within its own block as shipped")
  func getterInBlock() async {
    await #expect(processExitsWith: .failure) {
      let cache = MemoryCache()
      cache.willAddObject = { cache, _, _ in _ = cache.totalCost }
      // A hang would end by the alarm, which is also a failure, but another signal.
      alarm(20)
      cache.setObject("a", forKey: "a")
    }
  }
}

/// An object whose `deinit` calls a block.
final class TMMortal: Sendable {
  private let end: @Sendable () -> Void
  init(_ end: @escaping @Sendable () -> Void) { self.end = end }
  deinit { end() }
}
