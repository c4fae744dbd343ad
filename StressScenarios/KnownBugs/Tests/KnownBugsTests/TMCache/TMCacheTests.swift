import Caches
import KnownBugs
import Foundation
import Testing

@Suite("TMCache", .timeLimit(.minutes(10)))
struct TMCacheTests {
  static let both: [TMRepairs] = [[], .all]
  let folder = TMFolder()

  func cache(_ repairs: TMRepairs) -> TMCache {
    TMCache(name: "test", root: folder.url, repairs: repairs)
  }

  @Test("TMCache finds values on disk that memory has lost, and restores them", arguments: both)
  func readThrough(_ repairs: TMRepairs) async {
    await onThread {
      let cache = cache(repairs)
      cache.setObject([1, 2], forKey: "a", cost: 2)
      cache.memoryCache.removeAllObjects()
      #expect(cache.object(forKey: "a") == [1, 2])
      #expect(cache.memoryCache.object(forKey: "a") == [1, 2])
      #expect(cache.object(forKey: "b") == nil)
      #expect(cache.diskByteCount == cache.diskCache.byteCount)
    }
  }

  @Test("TMCache stores in both and removes from both", arguments: both)
  func writeThrough(_ repairs: TMRepairs) async {
    await onThread {
      let cache = cache(repairs)
      for key in ["a", "b", "c"] { cache.setObject([1], forKey: key) }
      #expect(cache.diskCache.object(forKey: "a") == [1])
      cache.removeObject(forKey: "a")
      #expect(cache.memoryCache.object(forKey: "a") == nil)
      #expect(cache.diskCache.object(forKey: "a") == nil)
      let between = Date()
      _ = cache.object(forKey: "c")
      // The disk notes the access later; a read of the disk follows it on the queue.
      _ = cache.diskCache.fileURL(forKey: "c")
      cache.trim(toDate: between)
      #expect(cache.entries()?.keys.sorted() == ["c"])
      cache.removeAllObjects()
      #expect(cache.count == 0)
    }
  }

  @Test("TMCache completes 1,001 asynchronous writes and reads", arguments: both)
  func manyAsynchronousCalls(_ repairs: TMRepairs) async {
    let cache = cache(repairs)
    await withTaskGroup { group in
      for number in 0...1000 {
        group.addTask {
          await withCheckedContinuation { continuation in
            cache.setObject([1], forKey: "key \(number)") { continuation.resume() }
          }
          let found: [UInt8]? = await withCheckedContinuation { continuation in
            cache.object(forKey: "key \(number)") { continuation.resume(returning: $0) }
          }
          #expect(found == [1])
        }
      }
    }
  }

  @Test("TMCache with the name of another sees its writes when repaired", arguments: both)
  func twoOfOneName(_ repairs: TMRepairs) async {
    await onThread {
      let first = cache(repairs)
      let second = cache(repairs)
      first.setObject([1], forKey: "a")
      second.setObject([2], forKey: "a")
      #expect(first.object(forKey: "a") == (repairs.isEmpty ? [1] : [2]))
    }
  }

  @Test("TMCache completes a call without a key, and one whose cache is released, when repaired")
  func answers() async {
    for repairs in [TMRepairs.answersAlways, .all] {
      let found: [UInt8]? = await withCheckedContinuation { continuation in
        // Nothing else holds this cache.
        cache(repairs).object(forKey: "a") { continuation.resume(returning: $0) }
      }
      #expect(found == nil)
      await withCheckedContinuation { continuation in
        cache(repairs).setObject([1], forKey: nil) { continuation.resume() }
      }
    }
  }

  @Test("TMCache calls its blocks in pairs, when repaired")
  func events() async {
    await onThread {
      let cache = cache(.all)
      let told = TMNotes<String>()
      cache.memoryCache.willAddObject = { _, key, _ in told.add("memory will add \(key)") }
      cache.memoryCache.didAddObject = { _, key, _ in told.add("memory did add \(key)") }
      cache.memoryCache.willRemoveObject = { _, key, _ in told.add("memory will remove \(key)") }
      cache.memoryCache.didRemoveObject = { _, key, _ in told.add("memory did remove \(key)") }
      cache.diskCache.willAddObject = { _, key, _, _ in told.add("disk will add \(key)") }
      cache.diskCache.didAddObject = { _, key, _, _ in told.add("disk did add \(key)") }
      cache.setObject([1], forKey: "a")
      cache.memoryCache.removeAllObjects()
      _ = cache.object(forKey: "a")
      cache.removeObject(forKey: "a")
      #expect(
        told.all == [
          "memory will add a", "disk will add a", "disk did add a", "memory did add a",
          "memory will add a", "memory did add a", "memory will remove a", "memory did remove a",
        ])
    }
  }
}
