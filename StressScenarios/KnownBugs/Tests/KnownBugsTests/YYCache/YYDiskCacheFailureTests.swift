import Dispatch
import Foundation
import Testing

import Caches
@testable import KnownBugs

private let bothKinds: [YYDiskRepairs] = [[], .all]

/// Files and folders that are damaged, missing or full.
extension YYDiskCacheTests {
  @Test("YYDiskCache starts anew over a damaged database")
  func damagedDatabase() throws {
    try cache().setValue([1], forKey: "a")
    let path = folder.path + "/cache/manifest.sqlite"
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: path))
    let cache = try cache()
    #expect(cache.value(forKey: "a") == nil)
    #expect(cache.setValue([2], forKey: "a"))
    #expect(cache.value(forKey: "a") == [2])
  }

  @Test("YYDiskCache treats a damaged or a missing file as a miss")
  func damagedFile() throws {
    let cache = try cache(inlineThreshold: 0)
    let path = folder.path + "/cache/data/" + KeyDigest.hexadecimal("a")
    for damage in 0..<3 {
      cache.setValue(bytes(100), forKey: "a")
      var file = try Data(contentsOf: URL(fileURLWithPath: path))
      switch damage {
      case 0: file[50] ^= 1
      case 1: file.removeLast()
      default: file = Data()
      }
      try file.write(to: URL(fileURLWithPath: path))
      #expect(cache.value(forKey: "a") == nil)
    }
    cache.setValue(bytes(100), forKey: "a")
    try FileManager.default.removeItem(atPath: path)
    #expect(cache.count == 1)
    #expect(cache.value(forKey: "a") == nil)
    // The row is removed too.
    #expect(cache.count == 0)
  }

  @Test("YYDiskCache reports a full disk, and keeps the rest")
  func fullDisk() throws {
    let cache = try cache(inlineThreshold: 1000)
    cache.setValue([1], forKey: "small")
    cache.setValue(bytes(2000), forKey: "other")
    let path = folder.path + "/cache/data/" + KeyDigest.hexadecimal("large")
    if FileManager.default.fileExists(atPath: "/dev/full") {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
      #expect(!cache.setValue(bytes(2000), forKey: "large"))
      #expect(cache.value(forKey: "large") == nil)
    }
    cache.withStorage { storage in
      _ = storage.query { try? $0.execute("PRAGMA max_page_count = 1") }
    }
    // The existing pages have some space left.
    let failed = (0..<50).first { !cache.setValue(bytes(900), forKey: "new-\($0)") }
    #expect(failed != nil)
    #expect(cache.lastError == "database or disk is full")
    for number in 0..<(failed ?? 0) { #expect(cache.value(forKey: "new-\(number)") == bytes(900)) }
    #expect(cache.value(forKey: "small") == [1])
    #expect(cache.value(forKey: "other") == bytes(2000))
    #expect(cache.count >= 2)
  }

  @Test("YYDiskCache reports in one line why a folder cannot be used", arguments: bothKinds)
  func unusableFolder(_ repairs: YYDiskRepairs) throws {
    let file = folder.path + "/file"
    try Data([1]).write(to: URL(fileURLWithPath: file))
    for path in [file, file + "/cache"] {
      let error = #expect(throws: YYStorageError.self) {
        try YYDiskCache.open(path, options(repairs))
      }
      #expect("\(try #require(error))".hasSuffix(": Not a directory"))
    }
    try FileManager.default.createDirectory(
      atPath: folder.path + "/odd/manifest.sqlite/x", withIntermediateDirectories: true)
    let error = #expect(throws: YYStorageError.self) {
      try YYDiskCache.open(folder.path + "/odd", options(repairs))
    }
    #expect("\(try #require(error))".hasSuffix(": unable to open database file"))
  }

  @Test("YYDiskCache names what to install if there is no SQLite")
  func withoutSQLite() {
    let error = #expect(throws: YYStorageError.self) {
      _ = try YYKVStorage(folder.path, .mixed, library: nil)
    }
    #expect(error.map { "\($0)".hasPrefix("needs SQLite: install ") } == true)
  }
}
