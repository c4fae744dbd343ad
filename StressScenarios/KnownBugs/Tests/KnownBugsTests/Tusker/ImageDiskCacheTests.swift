import Foundation
import Testing

import Caches
@testable import KnownBugs

/// A time of day that tests set.
final class TestClock: Sendable {
  private let seconds = Locked(1_000_000.0)
  var clock: CacheClock { { Date(timeIntervalSince1970: self.seconds.withLock { $0 }) } }
  func advance(_ by: Double) { seconds.withLock { $0 += by } }
}

/// A disk cache as shipped or repaired, with either index.
struct DiskCase: CustomTestStringConvertible, Sendable {
  var index: ImageDiskCache.Index
  var repaired: Bool
  var testDescription: String { "\(index), \(repaired ? "repaired" : "as shipped")" }

  static let all = [true, false].flatMap { repaired in
    [ImageDiskCache.Index.fileStates, .maybeCached].map {
      DiskCase(index: $0, repaired: repaired)
    }
  }

  func make(
    in folder: URL, expiry: CacheExpiry = .never, clock: TestClock = TestClock()
  ) throws -> ImageDiskCache {
    try ImageDiskCache(
      directory: folder, expiry: expiry, index: index, repaired: repaired, now: clock.clock)
  }
}

@Suite("A disk cache of images", .timeLimit(.minutes(10)))
struct ImageDiskCacheTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "An image disk cache finds stored values, even after it is opened again",
    arguments: DiskCase.all)
  func keeping(_ subject: DiskCase) throws {
    let cache = try subject.make(in: folder.url)
    #expect(!cache.has("a"))
    #expect(cache.data(forKey: "a") == nil)
    try cache.set([1, 2], forKey: "a")
    try cache.set([3], forKey: "a")
    #expect(cache.has("a"))
    #expect(cache.data(forKey: "a") == [3])
    #expect(try subject.make(in: folder.url).data(forKey: "a") == [3])
  }

  @Test("An image disk cache no longer finds removed values", arguments: DiskCase.all)
  func removing(_ subject: DiskCase) throws {
    let cache = try subject.make(in: folder.url)
    for key in ["a", "b", "c"] { try cache.set([1], forKey: key) }
    try cache.remove(forKey: "a")
    try cache.remove(forKey: "never stored")
    #expect(!cache.has("a"))
    #expect(cache.has("b"))
    try cache.removeAll()
    #expect(!cache.has("b"))
    #expect(try folder.names() == [])
    try cache.set([2], forKey: "b")
    #expect(cache.data(forKey: "b") == [2])
  }

  @Test(
    "An image disk cache hides expired files, and removes them on request", arguments: DiskCase.all)
  func expiry(_ subject: DiskCase) throws {
    let clock = TestClock()
    let cache = try subject.make(in: folder.url, expiry: .seconds(60), clock: clock)
    try cache.set([1], forKey: "old")
    clock.advance(40)
    try cache.set([2], forKey: "new")
    #expect(cache.data(forKey: "old") == [1])
    clock.advance(40)
    #expect(!cache.has("old"))
    #expect(cache.data(forKey: "old") == nil)
    try cache.removeExpired()
    #expect(try folder.names() == ["new"])
    #expect(cache.data(forKey: "new") == [2])
  }

  @Test(
    "An image disk cache keeps every key apart, within its folder",
    arguments: [
      "", "/", "..", "../../etc/passwd", "a/b", "a%2fb", ".hidden", "A", "ä", "\0", "%", "~",
      String(repeating: "long", count: 2000), "https://example.com/a?b=c#d",
    ])
  func keys(key: String) throws {
    let inner = folder.url.appendingPathComponent("cache")
    let cache = try ImageDiskCache(directory: inner, repaired: true)
    try cache.set([7], forKey: "a")
    try cache.set([8], forKey: key)
    #expect(cache.data(forKey: key) == [8])
    #expect(cache.data(forKey: "a") == [7])
    #expect(try folder.names() == ["cache"])
    #expect(try cache.fileNames().count == 2)
    try cache.remove(forKey: key)
    #expect(try cache.fileNames() == ["a"])
  }

  @Test("An image disk cache gives long keys names by a digest")
  func digest() {
    #expect(CacheFileName(key: String(repeating: "k", count: 200)).name.hasPrefix("kk"))
    #expect(CacheFileName(key: String(repeating: "k", count: 201)).name.hasPrefix("~"))
  }

  @Test(
    "An image disk cache keeps the path extension of a key in its file's name",
    arguments: [
      ("a/b.png", ".png"), ("a/b.JPEG", ".jpeg"), ("a.b/c", ""), ("a/.png", ""), ("a/b.", ""),
      ("a/b.png?width=1", ""), ("a/b.tar.gz", ".gz"), ("a/b.png/", ".png"),
      ("a/b." + String(repeating: "x", count: 17), ""),
    ])
  func pathExtension(_ end: String, _ expected: String) {
    let name = CacheFileName(key: "https://host/" + String(repeating: "k", count: 200) + end).name
    #expect(name.hasPrefix("~"))
    #expect(name.dropFirst(33) == expected)
    // A short key is in the name as a whole.
    #expect(CacheFileName(key: "a.png").name == "a.png")
  }

  @Test("An image disk cache counts the look-ups of files", arguments: [false, true])
  func lookUps(repaired: Bool) throws {
    let cache = try ImageDiskCache(directory: folder.url, repaired: repaired)
    for _ in 0..<3 { #expect(!cache.has("missing")) }
    #expect(cache.lookUpCount == 1)
    try cache.set([1], forKey: "stored")
    for _ in 0..<3 { #expect(cache.has("stored")) }
    #expect(cache.lookUpCount == 1)
    try cache.removeAll()
    #expect(!cache.has("missing") && !cache.has("stored"))
    #expect(cache.lookUpCount == 3)
  }

  @Test(
    "An image disk cache asks the file system once for a missing file, and then trusts its index"
  )
  func states() throws {
    let cache = try ImageDiskCache(directory: folder.url, repaired: true)
    #expect(!cache.has("a"))
    // Written outside the cache, which does not look for it again.
    try Data([1]).write(to: folder.url.appendingPathComponent("a"))
    #expect(!cache.has("a"))
    #expect(try cache.indexedFileNames() == [])
    try cache.removeAll()
    try Data([1]).write(to: folder.url.appendingPathComponent("a"))
    #expect(cache.has("a"))
    #expect(cache.isKnownToHave("a"))
    // The reverse: the index has the file, and the read is a miss.
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("a"))
    #expect(cache.has("a"))
    #expect(cache.data(forKey: "a") == nil)
  }

  @Test(
    "An image disk cache with an index by a scan knows old files and new ones",
    arguments: [true, false])
  func scan(repaired: Bool) async throws {
    try Data([1]).write(to: folder.url.appendingPathComponent("old"))
    let subject = DiskCase(index: .maybeCached, repaired: repaired)
    let cache = try subject.make(in: folder.url)
    #expect(cache.has("old"))
    await withCheckedContinuation { scanned in cache.scan { scanned.resume() } }
    try Data([1]).write(to: folder.url.appendingPathComponent("foreign"))
    try cache.set([2], forKey: "new")
    #expect(cache.has("old"))
    #expect(cache.has("new"))
    #expect(!cache.has("foreign"))
    try cache.remove(forKey: "old")
    #expect(!cache.has("old"))
  }

  @Test("An image disk cache throws when it cannot make its folder", arguments: DiskCase.all)
  func noFolder(_ subject: DiskCase) throws {
    // A file is where the folder should be, which stops the superuser too.
    let file = folder.url.appendingPathComponent("file")
    try Data().write(to: file)
    #expect(throws: (any Error).self) {
      try subject.make(in: file.appendingPathComponent("cache"))
    }
  }

  @Test(
    "An image disk cache throws when it cannot write, and then has no value at all"
  )
  func cannotWrite() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let cache = try ImageDiskCache(directory: folder.url, repaired: true)
      try cache.set([1], forKey: "a")
      // As on a full disk, nothing more than this can be written to a file.
      limitFileSize(to: 100)
      var thrown: (any Error)?
      do { try cache.set([UInt8](repeating: 2, count: 5000), forKey: "a") } catch { thrown = error }
      precondition(thrown != nil)
      precondition(cache.data(forKey: "a") == nil)
      try cache.set([3], forKey: "b")
      precondition(cache.data(forKey: "b") == [3])
      let names = try folder.names()
      precondition(names == ["b"])
    }
  }
}
