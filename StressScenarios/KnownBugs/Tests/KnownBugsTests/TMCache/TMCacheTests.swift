import Caches
import Foundation
import Testing

@testable import KnownBugs

/// Calls of TMCache that need many threads, or another call inside. Scenarios show the rest.
@Suite("TMCache", .timeLimit(.minutes(10)))
struct TMCacheTests {
  @Test(
    "TMCache completes 1,001 asynchronous writes and reads",
    arguments: [[], .all] as [TMRepairs])
  func manyAsynchronousCalls(_ repairs: TMRepairs) async {
    let cache = TMCache(name: "test", root: newFolder().path, repairs: repairs)
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

  @Test("TMCache completes a call without a key, and one whose cache is released, when repaired")
  func answers() async {
    for repairs in [TMRepairs.answersAlways, .all] {
      func cache() -> TMCache { TMCache(name: "test", root: newFolder().path, repairs: repairs) }
      let found: [UInt8]? = await withCheckedContinuation { continuation in
        // Nothing else holds this cache.
        cache().object(forKey: "a") { continuation.resume(returning: $0) }
      }
      #expect(found == nil)
      await withCheckedContinuation { continuation in
        cache().setObject([1], forKey: nil) { continuation.resume() }
      }
    }
  }

  @Test("TMMemoryCache can be called from its blocks and from its objects' deinit, when repaired")
  func reentrance() async {
    await onThread {
      let cache = TMMemoryCache(repairs: .all)
      let told = OperationLog<String>()
      cache.setWillAddObject { cache, key in
        told.note("\(key): \(cache.object(forKey: key) == nil), \(cache.totalCost ?? -1)")
      }
      for (number, cost) in [(1, 3), (2, 4)] {
        let object = CachedObject([]) { told.note("end \(number), \(cache.totalCost ?? -1)") }
        cache.setObject(object, forKey: "a", cost: cost)
      }
      cache.enumerateObjects { cache.removeValue(forKey: $0) }
      #expect(
        told.notes == ["a: true, 0", "a: false, 3", "end 1, 4", "end 2, 0"])
    }
  }
}
