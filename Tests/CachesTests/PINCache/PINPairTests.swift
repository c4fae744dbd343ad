import Caches
import Foundation
import Testing

@Suite("PINCache", .timeLimit(.minutes(1)))
struct PINPairTests {
  @Test(
    "finds on disk what memory has lost, and has it in memory again",
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

  @Test("does the same in the asynchronous forms, repaired or not")
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

  @Test("takes over the files of a TMCache, and leaves its directory no more")
  func migration() throws {
    try withTemporaryFolder { root in
      let name = "images.v1"
      let new = root + "/com.pinterest.PINDiskCache.images%2Ev1"
      let old = root + "/com.tumblr.TMDiskCache.images%2Ev1"
      let before = PINDiskCache3(name: name, root: root)
      before.setValue([4, 2], forKey: "a/b", cost: 0)
      _ = before.count
      try FileManager.default.moveItem(atPath: new, toPath: old)
      let outcomes = PINMigration.migrateDiskCaches(named: [name, "none"], root: root)
      #expect(outcomes == [name: .moved, "none": .absent])
      #expect(!FileManager.default.fileExists(atPath: old))
      let cache = PINDiskCache3(name: name, root: root)
      #expect(cache.value(forKey: "a/b") == [4, 2])
      #expect(Set(cache.knownSizes.keys) == ["a/b"])
    }
  }

  @Test("deletes a TMCache's directory where PINCache has one already")
  func migrationTooLate() throws {
    try withTemporaryFolder { root in
      let old = root + "/com.tumblr.TMDiskCache.tests"
      try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
      let cache = pinDisk3(root, .version3)
      cache.setValue([1], forKey: "a", cost: 0)
      #expect(PINMigration.migrateDiskCaches(named: ["tests"], root: root) == ["tests": .deleted])
      #expect(!FileManager.default.fileExists(atPath: old))
      #expect(cache.value(forKey: "a") == [1])
    }
  }

  @Test("one directory has one cache, where its users ask for it by name")
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
