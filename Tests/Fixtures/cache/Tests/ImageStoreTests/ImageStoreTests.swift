import ImageStore
import InterlockTesting
import Testing

@Test func storeAndRead() async throws {
  try await stress(ImageStore(), callers: 4, rounds: 200) { store, caller in
    let key = "image \(caller.random(in: 0..<4))"
    store.store([1, 2, 3], for: key)
    #expect(store.image(for: key) == [1, 2, 3])
  }
}

@Test func everyMethod() async throws {
  try await stress(ImageStore(), callers: 4, rounds: 200) { store, caller in
    let key = "image \(caller.random(in: 0..<4))"
    store.store([1, 2, 3], for: key)
    _ = store.contains(key)
  }
}
