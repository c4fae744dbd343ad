import Caches
import KnownBugs
import Foundation
import Testing

/// Unusual keys, and faulty directories and files.
@Suite("The files of a hybrid cache", .timeLimit(.minutes(10)))
struct HybridFilesTests {
  private static let keys = [
    "", ".", "..", "/", "../../escape", "a/b", "/etc/passwd", "a.b/c", "picture.png",
    "nothing.", ".hidden", "nul\u{0}byte", "é", "日本", "a\nb",
    String(repeating: "long", count: 1000), "x." + String(repeating: "y", count: 300),
  ]

  @Test(
    "Hybrid cache files are in its directory for all keys, and each key has its own",
    arguments: 0..<2)
  func keys(_ system: Int) throws {
    let folder = try HybridFolder()
    let inner = folder.url.appendingPathComponent("inner", isDirectory: true)
    let cache: any Cache =
      system == 0
      ? try HybridStorageCache(directory: inner)
      : try AwesomeCache(directory: inner, version: .repaired)
    for (number, key) in Self.keys.enumerated() {
      cache.setValue([UInt8(number)], forKey: key, cost: 1)
    }
    #expect(cache.count == Self.keys.count)
    #expect(folder.names.count == Self.keys.count + 1)
    #expect(folder.names.allSatisfy { $0.hasPrefix("inner") })
    // A second cache with empty memory.
    let later: any Cache =
      system == 0
      ? try HybridStorageCache(directory: inner)
      : try AwesomeCache(directory: inner, version: .repaired)
    for (number, key) in Self.keys.enumerated() {
      #expect(later.value(forKey: key) == [UInt8(number)])
    }
    for key in Self.keys { later.removeValue(forKey: key) }
    #expect(later.count == 0)
    #expect(folder.names == ["inner"])
  }

  @Test("Hybrid cache files of version 1.0.0 lack some keys, and none is outside the directory")
  func oldKeys() throws {
    let folder = try HybridFolder()
    let inner = folder.url.appendingPathComponent("inner", isDirectory: true)
    let cache = BasicHybridCache(directory: inner)
    cache.setValue([7], forKey: "kept", cost: 1)
    for key in Self.keys { cache.setValue([1], forKey: key, cost: 1) }
    #expect(folder.names.allSatisfy { $0.hasPrefix("inner") })
    let later = BasicHybridCache(directory: inner)
    #expect(later.value(forKey: "a/b") == [1])
    // Too long for a name.
    #expect(later.value(forKey: String(repeating: "long", count: 1000)) == nil)
    later.removeValue(forKey: "")
    #expect(later.value(forKey: "kept") == [7])
  }

  @Test("Hybrid cache files that are damaged are an error, and a miss for calls that cannot throw")
  func damaged() throws {
    let folder = try HybridFolder()
    try HybridStorageCache(directory: folder.url).setObject([1, 2, 3], forKey: "a")
    let file = folder.file(try #require(folder.names.first))
    var bytes = Array(try Data(contentsOf: file))
    for damage in 0..<2 {
      if damage == 0 { bytes[bytes.count - 1] ^= 1 } else { bytes = [1] }
      try Data(bytes).write(to: file)
      let cache = try HybridStorageCache(directory: folder.url)
      #expect(throws: HybridStorageError.decodingFailed(path: file.path)) {
        try cache.object(forKey: "a")
      }
      #expect(cache.value(forKey: "a") == nil)
    }
  }

  @Test("Hybrid cache files that do not fit on the disk are an error, and leave other keys' files")
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      let folder = try HybridFolder()
      let cache = try HybridStorageCache(directory: folder.url)
      try cache.setObject([1, 2, 3], forKey: "a")
      limitFileSize(to: 1000)
      do {
        try cache.setObject([UInt8](repeating: 7, count: 5000), forKey: "b")
        preconditionFailure("5,000 bytes were stored where there is room for 1,000")
      } catch let HybridStorageError.writeFailed(path) {
        precondition(path.hasPrefix(folder.url.path))
      }
      let later = try HybridStorageCache(directory: folder.url)
      precondition(later.value(forKey: "a") == [1, 2, 3])
      precondition(later.value(forKey: "b") == nil)
      try later.setObject([4], forKey: "b")
      let last = try HybridStorageCache(directory: folder.url).object(forKey: "b")
      precondition(last == [4])
    }
  }

  @Test("Hybrid cache files that cannot be written are an error, and the value is in memory")
  func unwritable() throws {
    let folder = try HybridFolder()
    let blocked = folder.file("blocked")
    try Data().write(to: blocked)
    // A file is where the directory should be.
    #expect(throws: (any Error).self) { try HybridStorageCache(directory: blocked) }
    #expect(throws: (any Error).self) {
      try AwesomeCache(directory: blocked, version: .repaired)
    }

    let gone = folder.url.appendingPathComponent("gone", isDirectory: true)
    let cache = try HybridStorageCache(directory: gone)
    try FileManager.default.removeItem(at: gone)
    var error: HybridStorageError?
    do {
      try cache.setObject([1], forKey: "a")
    } catch let thrown as HybridStorageError {
      error = thrown
    }
    guard case .writeFailed = error else {
      Issue.record("found \(String(describing: error))")
      return
    }
    #expect(cache.value(forKey: "a") == [1])
    cache.setValue([2], forKey: "a", cost: 1)
    #expect(cache.value(forKey: "a") == [2])
  }
}
