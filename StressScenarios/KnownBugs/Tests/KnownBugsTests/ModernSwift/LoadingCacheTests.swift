import Caches
import KnownBugs
import Foundation
import Testing

@Suite("A loading cache", .timeLimit(.minutes(10)))
struct LoadingCacheTests {
  @Test("A loading cache loads a missing value once, and keeps it", arguments: [false, true])
  func loading(repaired: Bool) async throws {
    try await withFolder { folder in
      let origin = try FolderOrigin(path: folder)
      let cache = LoadingCache(over: origin, repaired: repaired)
      try origin.publish([1, 2], forKey: "a")
      #expect(await cache.value(forKey: "a") == [1, 2])
      #expect(await cache.value(forKey: "a") == [1, 2])
      #expect(origin.loads == ["a": 1])
      #expect(await cache.totalCost == 2)
      #expect(await cache.value(forKey: "b") == nil)
    }
  }

  @Test(
    "A loading cache does not load stored values, and loads removed ones again",
    arguments: [false, true])
  func storing(repaired: Bool) async throws {
    try await withFolder { folder in
      let origin = try FolderOrigin(path: folder)
      let cache = LoadingCache(over: origin, repaired: repaired)
      try origin.publish([1], forKey: "a")
      await cache.setValue([2], forKey: "a", cost: 1)
      #expect(await cache.value(forKey: "a") == [2])
      #expect(origin.loads.isEmpty)
      await cache.removeValue(forKey: "a")
      #expect(await cache.value(forKey: "a") == [1])
    }
  }

  @Test("A loading cache, repaired, loads a value again that was missing the first time")
  func missing() async throws {
    try await withFolder { folder in
      let origin = try FolderOrigin(path: folder)
      let cache = LoadingCache(over: origin, repaired: true)
      #expect(await cache.value(forKey: "a") == nil)
      try origin.publish([3], forKey: "a")
      #expect(await cache.value(forKey: "a") == [3])
    }
  }
}

@Suite("A folder origin", .timeLimit(.minutes(10)))
struct FolderOriginTests {
  @Test("A folder origin keeps every key apart, inside its folder")
  func keys() async throws {
    try await withFolder { outer in
      let folder = outer + "/origin"
      let origin = try FolderOrigin(path: folder)
      let long = String(repeating: "x", count: 5_000)
      let keys = ["", "a", "A", "a/b", "../a", "..", "ä", long, long + "y"]
      for (number, key) in keys.enumerated() { try origin.publish([UInt8(number)], forKey: key) }
      for (number, key) in keys.enumerated() {
        #expect(await origin.load(key) == [UInt8(number)], "key '\(key.prefix(10))'")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: outer) == ["origin"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == keys.count)
    }
  }

  @Test(
    "A folder origin treats a damaged file, or another key's, as a miss", arguments: [0, 4, 8, 9])
  func damage(length: Int) async throws {
    try await withFolder { folder in
      let origin = try FolderOrigin(path: folder)
      try origin.publish([1], forKey: "ab")
      let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
      let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
      let whole = try Data(contentsOf: file)
      try whole.prefix(length).write(to: file)
      #expect(await origin.load("ab") == nil)
      try origin.publish([2], forKey: "ac")
      let other = try #require(
        FileManager.default.contentsOfDirectory(atPath: folder).first { $0 != name })
      try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(other))
        .write(to: file)
      #expect(await origin.load("ab") == nil)
    }
  }

  @Test("A folder origin throws where it cannot write, and keeps the old value")
  func refusal() async throws {
    try await withFolder { folder in
      let blocked = folder + "/file"
      try Data().write(to: URL(fileURLWithPath: blocked))
      #expect(throws: (any Error).self) { try FolderOrigin(path: blocked + "/origin") }
      let origin = try FolderOrigin(path: folder + "/origin")
      try FileManager.default.removeItem(atPath: folder + "/origin")
      #expect(throws: (any Error).self) { try origin.publish([1], forKey: "a") }
      #expect(await origin.load("a") == nil)
    }
  }
}
