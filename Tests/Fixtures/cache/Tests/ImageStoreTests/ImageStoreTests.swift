import Foundation
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

@Test(.enabled(if: ProcessInfo.processInfo.environment["SECOND_FAULT"] != nil))
func storeAndRemove() async throws {
  try await stress(ImageStore(), callers: 4, rounds: 200) { store, caller in
    if caller.index == 0 { store.removeAll() } else { store.store([1], for: "image") }
  }
}
