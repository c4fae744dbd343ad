import Caches
import KnownBugs
import Foundation
import Testing

/// The interface of hyperoslo's Cache, called from one thread.
@Suite("A HybridStorageCache", .timeLimit(.minutes(10)))
struct HybridStorageTests {
  private func cache(
    _ folder: HybridFolder, locking: HybridLocking, countLimit: Int = 0, maximumSize: Int = 0,
    expiry: HybridExpiry = .never
  ) throws -> HybridStorageCache<[UInt8]> {
    HybridStorageCache(
      memory: HybridMemoryStorage(countLimit: countLimit),
      disk: try HybridDiskStorage(
        directory: folder.url, expiry: expiry, maximumSize: maximumSize, transformer: .checked),
      locking: locking)
  }

  @Test(
    "A HybridStorageCache finds values on disk that memory has lost, and restores them",
    arguments: HybridLocking.allCases)
  func layers(_ locking: HybridLocking) throws {
    let folder = try HybridFolder()
    let cache = try cache(folder, locking: locking)
    try cache.setObject([1, 2], forKey: "a")
    try cache.removeInMemoryObject(forKey: "a")
    #expect(cache.allKeys == [])
    let found = try cache.entry(forKey: "a")
    #expect(found.object == [1, 2])
    #expect(found.filePath != nil)
    #expect(try cache.entry(forKey: "a").filePath == nil)
    #expect(cache.allKeys == ["a"])
    #expect(cache.keys(known: ["a"]) == (["a"], ["a"]))

    let later = try self.cache(folder, locking: locking)
    #expect(later.allKeys == [])
    #expect(try later.object(forKey: "a") == [1, 2])
  }

  @Test("A HybridStorageCache throws for a missing key", arguments: HybridLocking.allCases)
  func nothing(_ locking: HybridLocking) throws {
    let folder = try HybridFolder()
    let cache = try cache(folder, locking: locking)
    #expect(throws: HybridStorageError.notFound) { try cache.object(forKey: "a") }
    #expect(throws: (any Error).self) { try cache.removeObject(forKey: "a") }
    #expect(!cache.objectExists(forKey: "a"))
    #expect(cache.isExpiredObject(forKey: "a"))
  }

  @Test(
    "A HybridStorageCache still finds an expired object, and marks it",
    arguments: HybridLocking.allCases)
  func expiry(_ locking: HybridLocking) throws {
    let folder = try HybridFolder()
    let cache = try cache(folder, locking: locking)
    try cache.setObject([1], forKey: "old", expiry: .seconds(-10))
    try cache.setObject([2], forKey: "new", expiry: .date(Date(timeIntervalSinceNow: 100)))
    try cache.setObject([3], forKey: "ever")
    #expect(try cache.object(forKey: "old") == [1])
    #expect(cache.isExpiredObject(forKey: "old"))
    #expect(!cache.isExpiredObject(forKey: "new"))
    try cache.removeInMemoryObject(forKey: "old")
    #expect(cache.isExpiredObject(forKey: "old"))

    try cache.removeExpiredObjects()
    #expect(!cache.objectExists(forKey: "old"))
    #expect(cache.allKeys == ["new", "ever"])
    #expect(folder.names.count == 2)
  }

  @Test("A HybridStorageCache keeps the expiry in the file's date")
  func dates() throws {
    let folder = try HybridFolder()
    let date = Date(timeIntervalSince1970: 2_000_000_000)
    try cache(folder, locking: .twoQueues).setObject([1], forKey: "a", expiry: .date(date))
    let name = try #require(folder.names.first)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name).path)
    #expect(attributes[.modificationDate] as? Date == date)
    #expect(try cache(folder, locking: .twoQueues).entry(forKey: "a").expiry == .date(date))
  }

  @Test("A HybridStorageCache evicts the least recently used from memory, and keeps the file")
  func countLimit() throws {
    let folder = try HybridFolder()
    let cache = try cache(folder, locking: .twoQueues, countLimit: 2)
    for key in ["a", "b"] { try cache.setObject([1], forKey: key) }
    _ = try cache.object(forKey: "a")
    try cache.setObject([1], forKey: "c")
    #expect(try cache.entry(forKey: "a").filePath == nil)
    #expect(try cache.entry(forKey: "c").filePath == nil)
    // As in the original, the set of keys keeps the evicted key.
    #expect(cache.allKeys == ["a", "b", "c"])
    #expect(try cache.entry(forKey: "b").filePath != nil)
  }

  @Test("A HybridStorageCache removes the first to expire until half of the largest size is left")
  func maximumSize() throws {
    let folder = try HybridFolder()
    let cache = try cache(folder, locking: .twoQueues, maximumSize: 5000)
    for number in 0..<10 {
      let value = [UInt8](repeating: UInt8(number), count: 992)
      try cache.setObject(value, forKey: "\(number)", expiry: .seconds(Double(1000 - number)))
    }
    #expect(cache.totalDiskStorageSize == 10_000)
    try cache.removeExpiredObjects()
    #expect(cache.totalDiskStorageSize == 2000)
    for number in 0..<10 { try cache.removeInMemoryObject(forKey: "\(number)") }
    #expect(cache.objectExists(forKey: "0") && cache.objectExists(forKey: "1"))
    #expect(!cache.objectExists(forKey: "2") && !cache.objectExists(forKey: "9"))
    // Below the largest size nothing is removed.
    try cache.removeExpiredObjects()
    #expect(cache.totalDiskStorageSize == 2000)
  }

  @Test("A HybridStorageCache shows its files as objects of another type, with separate memory")
  func transform() throws {
    let folder = try HybridFolder()
    let bytes = try cache(folder, locking: .twoQueues)
    let texts = bytes.transform(
      HybridTransformer<String>(
        bytes: { try HybridTransformer.checked.bytes(Array($0.utf8)) },
        object: { bytes in
          try HybridTransformer.checked.object(bytes).map { String(decoding: $0, as: UTF8.self) }
        }))
    try texts.setObject("hi", forKey: "a")
    #expect(bytes.allKeys == [])
    #expect(try bytes.object(forKey: "a") == Array("hi".utf8))
    try bytes.setObject(Array("ho".utf8), forKey: "a")
    #expect(try texts.object(forKey: "a") == "hi")
    try texts.removeInMemoryObject(forKey: "a")
    #expect(try texts.object(forKey: "a") == "ho")
  }

  @Test(
    "A HybridStorageCache behaves the same in the asynchronous calls",
    arguments: HybridLocking.allCases)
  func asynchronous(_ locking: HybridLocking) async throws {
    let folder = try HybridFolder()
    let cache = try cache(folder, locking: locking)
    try await done { cache.setObject([1], forKey: "a", expiry: .seconds(-1), completion: $0) }
    #expect(try await done { cache.object(forKey: "a", completion: $0) } == [1])
    #expect(try await done { cache.entry(forKey: "a", completion: $0) }.expiry.isExpired)
    try await done { cache.removeExpiredObjects(completion: $0) }
    await #expect(throws: HybridStorageError.notFound) {
      try await done { cache.object(forKey: "a", completion: $0) }
    }
    try await done { cache.setObject([2], forKey: "b", completion: $0) }
    try await done { cache.removeObject(forKey: "b", completion: $0) }
    try await done { cache.setObject([3], forKey: "c", completion: $0) }
    try await done { cache.removeAll(completion: $0) }
    #expect(cache.allKeys == [])
    #expect(folder.names == [])
  }

  private func done<R: Sendable>(
    _ start: (@escaping @Sendable (Result<R, any Error>) -> Void) -> Void
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      start { continuation.resume(with: $0) }
    }
  }
}
