import Caches
import KnownBugs
import Foundation
import Testing

@Suite("PINDiskCache's limits and blocks", .timeLimit(.minutes(10)))
struct PINDiskLimitsTests {
  private func value(_ size: Int) -> PINObject { PINObject([UInt8](repeating: 1, count: size)) }

  /// The size of the file of a value with a key of one letter.
  private func fileSize(_ size: Int) -> UInt { UInt(size + 41) }

  @Test("PINDiskCache trims by size: the largest files go first")
  func trimToSize() {
    withTemporaryFolder { root in
      let two = pinDisk2(root + "/2", .repaired)
      let three = pinDisk3(root + "/3", .repaired)
      for (key, size) in [("a", 100), ("b", 3000), ("c", 500)] {
        two.setObject(value(size), forKey: key)
        three.setObject(value(size), forKey: key)
      }
      two.trimToSize(1000)
      three.trimToSize(1000)
      #expect(Set(two.knownSizes.keys) == ["a", "c"])
      #expect(Set(three.knownSizes.keys) == ["a", "c"])
      #expect(two.byteCount == fileSize(100) + fileSize(500))
      #expect(three.byteCount == fileSize(100) + fileSize(500))
      two.trimToSize(0)
      three.trimToSize(0)
      #expect(two.count == 0 && three.count == 0)
    }
  }

  @Test("PINDiskCache trims to the byte limit by the last use")
  func leastRecentlyUsed() {
    withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      let cache = pinDisk3(root, .repaired) {
        $0.scheduler = scheduler
        $0.byteLimit = 3 * fileSize(1000)
      }
      for key in ["a", "b", "c"] { cache.setObject(value(1000), forKey: key) }
      _ = cache.object(forKey: "a")
      cache.setObject(value(1000), forKey: "d")
      scheduler.waitUntilIdle()
      #expect(Set(cache.knownSizes.keys) == ["a", "c", "d"])
      #expect(cache.byteCount <= cache.byteLimit)
    }
  }

  @Test("PINDiskCache trims to the byte limit by the count of uses, which a new instance remembers")
  func leastFrequentlyUsed() {
    withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      let cache = pinDisk3(root, .repaired) { $0.scheduler = scheduler }
      for key in ["a", "b", "c"] { cache.setObject(value(1000), forKey: key) }
      for _ in 0..<3 { _ = cache.object(forKey: "a") }
      _ = cache.object(forKey: "b")
      scheduler.waitUntilIdle()
      let again = pinDisk3(root, .repaired) { $0.evictionStrategy = .leastFrequentlyUsed }
      #expect(again.count == 3)
      again.trimToSizeByEvictionStrategy(2 * fileSize(1000))
      #expect(Set(again.knownSizes.keys) == ["a", "b"])
    }
  }

  @Test("PINDiskCache 2.0 trims to its byte limit by the last use")
  func leastRecentlyUsed2() {
    withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      let cache = pinDisk2(root, .repaired) { $0.scheduler = scheduler }
      cache.byteLimit = 3 * fileSize(1000)
      scheduler.waitUntilIdle()
      for key in ["a", "b", "c"] { cache.setObject(value(1000), forKey: key) }
      _ = cache.object(forKey: "a")
      cache.setObject(value(1000), forKey: "d")
      scheduler.waitUntilIdle()
      #expect(Set(cache.knownSizes.keys) == ["a", "c", "d"])
    }
  }

  @Test("PINDiskCache hides expired files, and remembers the limit in a new instance")
  func expiry() {
    withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      func make() -> PINDiskCache3 {
        pinDisk3(root, .repaired) {
          $0.scheduler = scheduler
          $0.isTTLCache = true
        }
      }
      let cache = make()
      _ = cache.count
      cache.setObject(value(1), forKey: "short", ageLimit: 1e-6)
      cache.setObject(value(1), forKey: "long", ageLimit: 1000)
      scheduler.waitUntilIdle()
      #expect(cache.object(forKey: "short") == nil)
      #expect(!cache.containsObject(forKey: "short"))
      #expect(cache.object(forKey: "long") != nil)
      let again = make()
      _ = again.count
      scheduler.waitUntilIdle()
      #expect(again.storedFiles().keys.sorted() == ["long"])
      #expect(again.byteCount == again.storedFiles()["long"]?.size)
    }
  }

  @Test("PINDiskCache trims by date of creation; the distant past removes everything")
  func trimToDate() {
    withTemporaryFolder { root in
      let cache = pinDisk3(root, .repaired)
      cache.setObject(value(1), forKey: "old")
      let between = Date()
      cache.setObject(value(1), forKey: "new")
      cache.trim(to: between)
      #expect(Set(cache.knownSizes.keys) == ["new"])
      cache.trim(to: .distantPast)
      #expect(cache.count == 0)
    }
  }

  @Test("PINDiskCache calls its blocks in order; 3.0.4's may call the cache")
  func events() {
    withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      let cache = pinDisk3(root, .version3) { $0.scheduler = scheduler }
      let told = Locked<[String]>([])
      func note(_ what: String) -> PINDiskCache3.ObjectBlock {
        { cache, key, _, _ in
          let isThere = cache.containsObject(forKey: key)
          told.withLock { $0.append("\(what) \(key)\(isThere ? ", there" : "")") }
        }
      }
      cache.setEvent(\.willAddObject, note("will add"))
      cache.setEvent(\.didAddObject, note("did add"))
      cache.setEvent(\.willRemoveObject, note("will remove"))
      cache.setEvent(\.didRemoveObject, note("did remove"))
      cache.setEvent(\.willRemoveAllObjects) { _ in told.withLock { $0.append("will remove all") } }
      cache.setEvent(\.didRemoveAllObjects) { _ in told.withLock { $0.append("did remove all") } }
      scheduler.waitUntilIdle()
      cache.setObject(value(1), forKey: "a")
      cache.removeObject(forKey: "a")
      cache.removeAllObjects()
      #expect(
        told.withLock { $0 } == [
          "will add a", "did add a, there", "will remove a, there", "did remove a",
          "will remove all", "did remove all",
        ])
    }
  }

  @Test("PINDiskCache 2.0 calls its blocks with the file's path")
  func events2() {
    withTemporaryFolder { root in
      let scheduler = PINDispatchScheduler()
      let cache = pinDisk2(root, [.heldUntilScanned]) { $0.scheduler = scheduler }
      let told = Locked<[String]>([])
      func note(_ what: String) -> PINDiskCache2.ObjectBlock {
        { _, key, _, path in
          let isThere = path.map { FileManager.default.fileExists(atPath: $0) } ?? false
          told.withLock { $0.append("\(what) \(key)\(isThere ? ", there" : "")") }
        }
      }
      cache.setEvent(\.willAddObject, note("will add"))
      cache.setEvent(\.didAddObject, note("did add"))
      cache.setEvent(\.willRemoveObject, note("will remove"))
      cache.setEvent(\.didRemoveObject, note("did remove"))
      scheduler.waitUntilIdle()
      cache.setObject(value(1), forKey: "a")
      cache.removeObject(forKey: "a")
      #expect(
        told.withLock { $0 } == [
          "will add a", "did add a, there", "will remove a, there", "did remove a",
        ])
    }
  }

  @Test("PINDiskCache has exclusive access to the files while a block runs, in both forms")
  func lockFileAccess() async {
    let root = temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let cache = pinDisk3(root, .version3)
    cache.setObject(value(5), forKey: "a")
    var size: UInt = 0
    cache.synchronouslyLockFileAccess { size = $0.byteCount }
    #expect(size == fileSize(5))
    let later = await withCheckedContinuation { continuation in
      cache.lockFileAccess { continuation.resume(returning: $0.byteCount) }
    }
    #expect(later == fileSize(5))
    let two = pinDisk2(root + "/2", [.heldUntilScanned])
    two.setObject(value(5), forKey: "a")
    two.synchronouslyLockFileAccess { size += $0.byteCount }
    #expect(size == 2 * fileSize(5))
    let later2 = await withCheckedContinuation { continuation in
      two.lockFileAccess { continuation.resume(returning: $0.byteCount) }
    }
    #expect(later2 == fileSize(5))
  }

  @Test("PINDiskCache shows every key with its file until the block returns false")
  func enumeration() {
    withTemporaryFolder { root in
      let cache = pinDisk3(root, .version3)
      for key in ["a", "b", "c"] { cache.setObject(value(1), forKey: key) }
      var seen: Set<String> = []
      cache.enumerateObjects { key, path in
        #expect(FileManager.default.fileExists(atPath: path))
        seen.insert(key)
        return seen.count < 2
      }
      #expect(seen.count == 2)
    }
  }
}
