import Caches
import KnownBugs
import Foundation
import Testing

@Suite("PINCache", .timeLimit(.minutes(10)))
struct PINPairTests {
  @Test(
    "PINCache finds values on disk that memory has lost, and restores them to memory",
    arguments: [PINVersion.two, .three])
  func fallsBack(_ version: PINVersion) {
    withTemporaryFolder { root in
      let cache = pinPair(version, root, [version.shipped, .heldUntilScanned])
      cache.setValue([1, 2], forKey: "a", cost: 3)
      cache.memory.removeAllObjects()
      #expect(cache.containsObject(forKey: "a"))
      #expect(cache.value(forKey: "a") == [1, 2])
      #expect(cache.memory.value(forKey: "a") == [1, 2])
      #expect(cache.diskByteCount == cache.disk.byteCount)
      cache.removeAllObjects()
      #expect(cache.value(forKey: "a") == nil)
      #expect(!cache.containsObject(forKey: "a"))
    }
  }

  @Test("PINCache behaves the same in the asynchronous forms, repaired or not")
  func asynchronously() async {
    for changes in [PINChanges.version3, .repaired] {
      let root = temporaryFolder()
      defer { try? FileManager.default.removeItem(atPath: root) }
      let cache = pinPair(.three, root, changes)
      await withCheckedContinuation { continuation in
        cache.setObject(PINObject([1]), forKey: "a") { _, _, _ in continuation.resume() }
      }
      cache.memory.removeAllObjects()
      let read = await withCheckedContinuation { continuation in
        cache.object(forKey: "a") { continuation.resume(returning: $2?.bytes) }
      }
      #expect(read == [1])
      await withCheckedContinuation { continuation in
        cache.removeAllObjects { _ in continuation.resume() }
      }
      #expect(cache.disk.storedFiles().isEmpty)
    }
  }

  @Test("A block of either layer of a repaired PINCache may change the pair, and other keys of it")
  func blocksThatChange() throws {
    try withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      var options = PINDiskOptions()
      options.changes = .repaired
      options.scheduler = scheduler
      let cache = PINCache(.three, name: "tests", root: root, options: options)
      cache.memory.setEvent(\.didAddObject) { [unowned cache] _, key, _ in
        if key == "a" { cache.setObject(PINObject([2]), forKey: "b") }
      }
      cache.memory.setEvent(\.willRemoveObject) { [unowned cache] memory, key, _ in
        if key == "a" { cache.removeObject(forKey: "b") }
        _ = memory.object(forKey: key)
      }
      let disk = try #require(cache.disk as? PINDiskCache3)
      disk.setEvent(\.didRemoveObject) { [unowned cache] _, key, _, _ in
        if key == "b" { cache.setObject(PINObject([3]), forKey: "c") }
      }
      // A block of the disk is set later.
      scheduler.waitUntilIdle()
      cache.setObject(PINObject([1]), forKey: "a")
      #expect(cache.value(forKey: "b") == [2])
      cache.removeObject(forKey: "a")
      #expect(cache.value(forKey: "a") == nil && cache.value(forKey: "b") == nil)
      #expect(cache.value(forKey: "c") == [3])
    }
  }

  @Test("PINCache takes over the files of a TMCache, whatever their keys, with their dates")
  func migration() async throws {
    let root = temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let keys = ["plain", "a/b", "with space", "..", "日本語", String(repeating: "long/", count: 200)]
    let old = TMDiskCache(name: "images.v1", root: URL(fileURLWithPath: root))
    for (number, key) in keys.enumerated() {
      try #require(await stored([UInt8(number), 7], forKey: key, in: old))
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: root)
    let outcomes = PINMigration.migrateDiskCaches(named: ["images.v1", "none"], root: root)
    #expect(outcomes == ["images.v1": .moved, "none": .absent])
    let after = try FileManager.default.contentsOfDirectory(atPath: root)
    #expect(!before.contains("com.pinterest.PINDiskCache.images%2Ev1"))
    #expect(after.contains("com.pinterest.PINDiskCache.images%2Ev1"))
    #expect(after.count == before.count)
    let cache = PINDiskCache3(name: "images.v1", root: root)
    #expect(Set(cache.knownSizes.keys) == Set(keys))
    for (number, key) in keys.enumerated() {
      #expect(cache.value(forKey: key) == [UInt8(number), 7])
    }
    #expect(cache.storedFiles().count == keys.count)
  }

  @Test("PINCache deletes a TMCache's directory if PINCache already has one")
  func migrationTooLate() async throws {
    let root = temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let old = TMDiskCache(name: "tests", root: URL(fileURLWithPath: root))
    try #require(await stored([1], in: old))
    let cache = pinDisk3(root, .version3)
    cache.setValue([2], forKey: "a", cost: 0)
    #expect(PINMigration.migrateDiskCaches(named: ["tests"], root: root) == ["tests": .deleted])
    #expect(cache.value(forKey: "a") == [2])
  }

  @Test("A TMCache and a PINCache have their originals' directories")
  func directories() async throws {
    let root = temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let old = TMDiskCache(name: "tests", root: URL(fileURLWithPath: root))
    try #require(await stored([1], in: old))
    pinDisk3(root, .version3).setValue([1], forKey: "a", cost: 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: root)
    #expect(names.contains("com.tumblr.TMDiskCache.tests"))
    #expect(names.contains("com.pinterest.PINDiskCache.tests"))
  }

  @Test("A repaired migration keeps the newer file of each key, and a second one adds to the first")
  func migrationTwice() async throws {
    let root = temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let old = TMDiskCache(name: "tests", root: URL(fileURLWithPath: root))
    func migrate() -> [String: PINMigration.Outcome] {
      PINMigration.migrateDiskCaches(named: ["tests"], root: root, repaired: true)
    }
    for key in ["a", "b"] { try #require(await stored([1], forKey: key, in: old)) }
    #expect(migrate() == ["tests": .moved])
    #expect(pinDisk3(root, .version3).value(forKey: "a") == [1])
    for key in ["b", "c"] { try #require(await stored([2], forKey: key, in: old)) }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: root + "/com.tumblr.TMDiskCache.tests")
    #expect(Set(files) == ["b", "c"])
    // A file of the new cache that is newer than the old cache's.
    pinDisk3(root, .version3).setValue([3], forKey: "c", cost: 0)
    #expect(migrate() == ["tests": .moved])
    let cache = pinDisk3(root, .version3)
    #expect(cache.storedFiles().mapValues(\.value) == ["a": [1], "b": [2], "c": [3]])
    #expect(Set(cache.knownSizes.keys) == ["a", "b", "c"])
  }

  @Test(
    "A migration on a full disk loses nothing, and a write there fails",
    arguments: [false, true])
  func migrationOnFullDisk(repaired: Bool) async throws {
    let root = temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let long = String(repeating: "long/", count: 200)
    let old = TMDiskCache(name: "tests", root: URL(fileURLWithPath: root))
    for key in ["a b", long] { try #require(await stored([7], forKey: key, in: old)) }
    // In a separate process: the limit is the whole process's.
    await #expect(processExitsWith: .success) {
      [root = root as String, long = long as String, repaired = repaired as Bool] in
      let found = withFullDisk {
        PINMigration.migrateDiskCaches(named: ["tests"], root: root, repaired: repaired)
        let cache = pinDisk3(root, .version3)
        let isWritten = cache.setObject(PINObject([1]), forKey: "new") != nil
        return (cache.value(forKey: "a b"), cache.value(forKey: long), isWritten)
      }
      #expect(found == ([7], [7], false))
    }
  }

  @Test("one directory has one cache if its users request it by name")
  func instances() {
    withTemporaryFolder { root in
      let instances = PINInstances<PINDiskCache3>()
      var first: PINDiskCache3? = instances.instance(named: "a") { pinDisk3(root, .version3) }
      let second = instances.instance(named: "a") { pinDisk3(root, .version3) }
      #expect(first === second)
      first = nil
      let other = instances.instance(named: "b") { pinDisk3(root + "/b", .version3) }
      #expect(other !== second)
    }
  }
}

/// Stores a value; returns whether it has a file then.
private func stored(
  _ value: [UInt8], forKey key: String = "a", in cache: TMDiskCache
) async -> Bool {
  await withCheckedContinuation { continuation in
    cache.setObject(value, forKey: key) { continuation.resume(returning: $0 != nil) }
  }
}
