import Foundation

/// Claims of the sources on disk caches: SQLite is faster for small values, files for large ones
/// (YYCache), and a known state of the folder saves the system call of a miss (PINCache 3).
enum DisksBench {
  private static let kibibytes = [1, 4, 16, 20, 64, 256]
  private static let keys = 16

  /// Measures and prints both tables, in a temporary folder that is removed afterwards.
  ///
  /// - Throws: If there is no SQLite, or the folder cannot be used.
  static func run() throws {
    let folder = NSTemporaryDirectory() + "interlock-disks-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    print("YYDiskCache 1.0.4, SQLite against files; medians of interleaved rounds, and the ratio")
    print("  value        read: SQLite      files    files/SQLite   write: SQLite    files")
    for size in kibibytes { try compare(size, in: folder) }
    try missing(in: folder)
  }

  private static func compare(_ size: Int, in folder: String) throws {
    let value = [UInt8](repeating: 7, count: size * 1024)
    let caches = try [Int.max, 0].map { threshold in
      var options = YYDiskCache.Options()
      options.inlineThreshold = threshold
      let cache = try YYDiskCache("\(folder)/\(size)-\(threshold == 0 ? "files" : "rows")", options)
      for key in 0..<keys { cache.store(value, forKey: "key \(key)") }
      return cache
    }
    let reads = caches.map { cache in
      Measurement.Row(name: "read") { turns in
        for turn in 0..<turns {
          precondition(cache.value(forKey: "key \(turn % keys)")?.count == value.count)
        }
      }
    }
    let writes = caches.map { cache in
      Measurement.Row(name: "write") { turns in
        for turn in 0..<turns { cache.store(value, forKey: "key \(turn % keys)") }
      }
    }
    let measured = Measurement(reads + writes, rounds: 9, turns: keys)
    let figures = (0..<4).map { measured.median($0) / 1000 }
    print(
      String(
        format: "  %3d KiB   %9.1f µs  %9.1f µs  %8.2f ×    %9.1f µs  %9.1f µs  %8.2f ×", size,
        figures[0], figures[1], measured.ratio(1, to: 0), figures[2], figures[3],
        measured.ratio(3, to: 2)))
  }

  private static func missing(in folder: String) throws {
    let cache = PINDiskCache3(name: "misses", root: folder)
    // Wait until the cache knows the folder.
    cache.setValue([1], forKey: "present", cost: 1)
    _ = cache.containsObject(forKey: "absent")
    let path = folder + "/absent"
    let measured = Measurement(
      [
        .init(name: "miss") { turns in
          for _ in 0..<turns { precondition(cache.value(forKey: "absent") == nil) }
        },
        .init(name: "access") { turns in
          for _ in 0..<turns { precondition(access(path, F_OK) != 0) }
        },
      ], rounds: 15, turns: 2000)
    print("PINDiskCache 3.0.4, a miss in a folder whose state is known, against a system call")
    print(
      String(
        format: "  miss %.0f ns   access() of a missing file %.0f ns   %.2f ×", measured.median(0),
        measured.median(1), measured.ratio(1, to: 0)))
  }
}
