import Caches
import KnownBugs
import Foundation
import Testing

@Suite("TMCache's disk cache", .timeLimit(.minutes(10)))
struct TMDiskCacheTests {
  static let both: [TMRepairs] = [[], .all]
  let folder = TMFolder()

  func cache(
    _ repairs: TMRepairs, name: String = "test", archiver: TMArchiver = TMArchiver(),
    errors: TMNotes<String> = TMNotes()
  ) -> TMDiskCache {
    TMDiskCache(name: name, root: folder.url, archiver: archiver, repairs: repairs) {
      errors.add("\($0)")
    }
  }

  @Test("TMDiskCache finds and counts the values of an earlier cache of its name", arguments: both)
  func reopening(_ repairs: TMRepairs) async {
    await onThread {
      let first = cache(repairs)
      first.setObject([1, 2, 3], forKey: "a")
      first.setObject([], forKey: "b")
      let bytes = first.byteCount
      let second = cache(repairs)
      #expect(second.object(forKey: "a") == [1, 2, 3])
      #expect(second.object(forKey: "b") == [])
      #expect(second.byteCount == bytes)
      #expect(second.entries()?.values.map(\.cost).reduce(0, +) == bytes)
    }
  }

  @Test("TMDiskCache replaces a file without counting it twice", arguments: both)
  func replacing(_ repairs: TMRepairs) async {
    await onThread {
      let cache = cache(repairs)
      cache.setObject(Array(repeating: 1, count: 100), forKey: "a")
      let bytes = cache.byteCount
      cache.setObject(Array(repeating: 2, count: 50), forKey: "a")
      #expect(cache.byteCount == bytes - 50)
      cache.removeObject(forKey: "a")
      #expect(cache.byteCount == 0)
    }
  }

  @Test(
    "TMDiskCache trims to a size, the largest or the least recently used first", arguments: both)
  func trims(_ repairs: TMRepairs) async {
    await onThread {
      let cache = cache(repairs)
      for (key, size) in [("a", 10), ("b", 30), ("c", 20)] {
        cache.setObject(Array(repeating: 0, count: size), forKey: key)
      }
      _ = cache.object(forKey: "a")
      cache.trim(toSize: cache.byteCount - 1)
      #expect(cache.entries()?.keys.sorted() == ["a", "c"])
      cache.trim(toSizeByDate: cache.byteCount - 1)
      #expect(cache.entries()?.keys.sorted() == ["a"])
      cache.trim(toSize: 0)
      #expect(cache.count == 0)
      #expect(cache.byteCount == 0)
    }
  }

  @Test("TMDiskCache keeps to its byte limit, and removes old files", arguments: both)
  func limits(_ repairs: TMRepairs) async {
    await onThread {
      let cache = cache(repairs)
      cache.setObject([1], forKey: "a")
      cache.byteLimit = cache.byteCount * 2
      cache.setObject([2], forKey: "b")
      cache.setObject([3], forKey: "c")
      #expect(cache.entries()?.keys.sorted() == ["b", "c"])
      let between = Date()
      _ = cache.object(forKey: "c")
      cache.trim(toDate: between)
      #expect(cache.entries()?.keys.sorted() == ["c"])
    }
  }

  @Test(
    "TMDiskCache writes an object above its byte limit, and removes it at once", arguments: both
  )
  func tooLarge(_ repairs: TMRepairs) async {
    await onThread {
      let cache = cache(repairs)
      cache.byteLimit = 100
      #expect(cache.setObject(Array(repeating: 1, count: 200), forKey: "a") != nil)
      // As shipped a separate block removes it, and this read follows on the queue.
      #expect(cache.object(forKey: "a") == nil)
      #expect(cache.byteCount == 0)
      #expect(cache.setObject([1], forKey: "a") != nil)
      #expect(cache.object(forKey: "a") == [1])
    }
  }

  @Test("TMDiskCache stores under any key, and only in its own directory", arguments: both)
  func strangeKeys(_ repairs: TMRepairs) async {
    await onThread {
      let long = String(repeating: "long/", count: 200)
      let keys = [
        "", ".", "..", "../../outside", "/etc/passwd", "a/b", "a:b", "%2E", "#", "ä ö\n\u{0}", long,
        long + "1", String(repeating: "x", count: 255), String(repeating: "x", count: 256),
      ]
      let name = "../name/.."
      let first = cache(repairs, name: name)
      for (index, key) in keys.enumerated() {
        #expect(first.setObject([UInt8(index)], forKey: key) != nil)
      }
      let second = cache(repairs, name: name)
      #expect(second.count == keys.count)
      for (index, key) in keys.enumerated() {
        #expect(second.object(forKey: key) == [UInt8(index)])
      }
      second.removeObject(forKey: long)
      #expect(second.object(forKey: long) == nil)
      #expect(second.object(forKey: long + "1") != nil)
      let directories = try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(directories?.count == 2, "the cache's and the trash")
      #expect(
        folder.files.allSatisfy { $0.split(separator: "/").count == 2 }, "\(folder.files)")
    }
  }

  @Test(
    "TMDiskCache treats a damaged file as a miss, and deletes it", arguments: both + [.exactTotals])
  func damage(_ repairs: TMRepairs) async throws {
    await onThread {
      let errors = TMNotes<String>()
      let cache = cache(repairs, errors: errors)
      for key in ["cut", "changed", "empty"] { cache.setObject([1, 2, 3, 4], forKey: key) }
      for (key, damage) in [
        ("cut", { $0.dropLast() }), ("changed", { $0.dropLast() + [9] }), ("empty", { _ in [] }),
      ] as [(String, ([UInt8]) -> [UInt8])] {
        guard let url = cache.fileURL(forKey: key), let data = try? Data(contentsOf: url) else {
          Issue.record("no file")
          return
        }
        try? Data(damage([UInt8](data))).write(to: url)
      }
      for key in ["cut", "changed", "empty"] {
        #expect(cache.object(forKey: key) == nil)
        #expect(cache.fileURL(forKey: key) == nil)
      }
      #expect(errors.all.count >= 3)
      // As shipped the sizes of the files stay in the sum.
      #expect((cache.byteCount == 0) == repairs.contains(.exactTotals))
    }
  }

  @Test("TMDiskCache reports that nothing was written if it cannot write", arguments: both)
  func unwritable(_ repairs: TMRepairs) async throws {
    // A file blocks the path: tests may run as root, which may write to a read-only directory.
    try Data().write(to: folder.url.appendingPathComponent("com.tumblr.TMDiskCache.test"))
    await onThread {
      let errors = TMNotes<String>()
      let cache = cache(repairs, errors: errors)
      let told = TMNotes<URL?>()
      cache.didAddObject = { _, _, _, url in told.add(url) }
      #expect(cache.setObject([1], forKey: "a") == nil)
      #expect(told.all == [nil])
      #expect(cache.object(forKey: "a") == nil)
      #expect(!errors.all.isEmpty)
    }
  }

  @Test(
    "TMDiskCache keeps the old object when a new one does not fit, and neither when repaired"
  )
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      limitFileSize(to: 4096)
      for repairs in [[], .all] as [TMRepairs] {
        let folder = TMFolder()
        let cache = TMCache(name: "test", root: folder.url, repairs: repairs)
        cache.setObject([1], forKey: "a")
        let large = [UInt8](repeating: 2, count: 10_000)
        precondition(cache.diskCache.setObject(large, forKey: "b") == nil)
        cache.setObject(large, forKey: "a")
        precondition(cache.object(forKey: "a") == large)
        cache.memoryCache.removeAllObjects()
        precondition(cache.object(forKey: "a") == (repairs.isEmpty ? [1] : nil))
        precondition(folder.files.allSatisfy { !$0.contains("/.") }, "drafts are left")
      }
    }
  }

  @Test(
    "TMDiskCache with the name of another counts alone as shipped, and with it when repaired",
    arguments: both + [.onePerDirectory])
  func twoOfOneName(_ repairs: TMRepairs) async {
    await onThread {
      let first = cache(repairs)
      let second = cache(repairs)
      first.setObject([1], forKey: "a")
      #expect(second.object(forKey: "a") == [1])
      second.setObject([2, 2], forKey: "b")
      second.removeObject(forKey: "a")
      let real = second.entries()?.values.map(\.cost).reduce(0, +)
      #expect((first.byteCount == real) == repairs.contains(.onePerDirectory))
      #expect((first.indexes()["sizes"] == ["b"]) == repairs.contains(.onePerDirectory))
    }
  }

  @Test(
    "TMDiskCache removes nothing without a trash as shipped, and all the same when repaired",
    arguments: both + [.removesWithoutTrash])
  func withoutTrash(_ repairs: TMRepairs) async throws {
    await onThread {
      let cache = cache(repairs)
      cache.setObject([1], forKey: "a")
      try? FileManager.default.removeItem(at: cache.trashURL)
      cache.removeObject(forKey: "a")
      #expect((cache.object(forKey: "a") == nil) == repairs.contains(.removesWithoutTrash))
    }
  }

  @Test(
    "TMDiskCache starts one more age timer at each setting as shipped, and one in all when repaired"
  )
  func ageTimers() {
    for (repairs, timers) in [(TMRepairs(), 20), (.all, 1)] {
      let cache = cache(repairs)
      for _ in 0..<20 { cache.ageLimit = 600 }
      #expect(cache.ageTimers == timers, "\(repairs)")
      cache.ageLimit = 0
    }
  }

  @Test("TMDiskCache traps in a getter within its own block as shipped, and returns when repaired")
  func getterInBlock() async {
    await #expect(processExitsWith: .failure) { [root = folder.url.path as String] in
      let cache = TMDiskCache(name: "test", root: URL(fileURLWithPath: root))
      cache.willAddObject = { cache, _, _, _ in _ = cache.byteLimit }
      cache.setObject([1], forKey: "a")
    }
    await onThread {
      let cache = cache(.all)
      let told = TMNotes<Int>()
      cache.willAddObject = { cache, _, _, _ in told.add(cache.byteLimit) }
      cache.setObject([1], forKey: "a")
      #expect(told.all == [0])
    }
  }

  @Test("TMDiskCache can be called while it decodes an object, when repaired")
  func decoding() async {
    await onThread {
      let box = TMNotes<TMDiskCache>()
      let archiver = TMArchiver(decode: { bytes in
        bytes == [1] ? box.all[0].object(forKey: "other") ?? [] : bytes
      })
      let cache = cache(.all, archiver: archiver)
      box.add(cache)
      cache.setObject([7], forKey: "other")
      cache.setObject([1], forKey: "a")
      #expect(cache.object(forKey: "a") == [7])
    }
  }
}
