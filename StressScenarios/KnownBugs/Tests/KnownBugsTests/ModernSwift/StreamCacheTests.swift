import Caches
import KnownBugs
import Testing

@Suite("A stream cache", .timeLimit(.minutes(10)))
struct StreamCacheTests {
  @Test("A stream cache behaves the same in the forms with a completion", arguments: [false, true])
  func completions(repaired: Bool) async {
    let cache = StreamCache(repaired: repaired)
    await withCheckedContinuation { continuation in
      cache.setValue([9], forKey: "a", cost: 1) { continuation.resume() }
    }
    let found = await withCheckedContinuation { continuation in
      cache.value(forKey: "a") { continuation.resume(returning: $0) }
    }
    #expect(found == [9])
    await withCheckedContinuation { continuation in
      cache.removeValue(forKey: "a") { continuation.resume() }
    }
    #expect(await cache.count == 0)
  }

  @Test("A stream cache performs all calls sent before it is freed")
  func end() async {
    var cache: StreamCache? = StreamCache(repaired: true)
    let value = Counted()
    await withCheckedContinuation { continuation in
      cache?.value(forKey: "a") { [value] _ in
        value.note()
        continuation.resume()
      }
      cache = nil
    }
    #expect(value.notes == 1)
  }
}
