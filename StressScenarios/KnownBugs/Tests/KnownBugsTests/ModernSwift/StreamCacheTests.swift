import Caches
import Testing

@testable import KnownBugs

@Suite("A stream cache", .timeLimit(.minutes(10)))
struct StreamCacheTests {
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
