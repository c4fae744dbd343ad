// One method forgets the lock. The property is marked by @Tracked, and 'stress' calls the type from
// several threads at once.
//
// Prints:
//
//   ✘ Test forgottenLock() recorded an issue at 01-ForgottenLock.swift:25:1: Issue recorded
//   ↳ conflict on 'property at Samples/01-ForgottenLock.swift:22 #1'
//       first, in the section: …
//       second, at its begin: …
//       Nothing kept the …
//     replay: stress(replay: "s1-4-500-threads-b97e34c786d3dd4a-1527")
//   stress: failed in round 1 of 500, with 4 threads…
//   ✘ Test forgottenLock() failed after 0.332 seconds with 1 issue.

import Foundation
import Interlock
import InterlockTesting
import Testing

private final class ImageStore: @unchecked Sendable {
  private let lock = NSLock()
  @Tracked private var images: [String: Int] = [:]

  func store(_ key: String) { lock.withLock { images[key] = 1 } }
  func contains(_ key: String) -> Bool { images[key] != nil }
}

@Test func forgottenLock() async throws {
  try await stress(ImageStore(), callers: 4, rounds: 500) { store, caller in
    store.store("image \(caller.random(in: 0..<4))")
    _ = store.contains("image 0")
  }
}
