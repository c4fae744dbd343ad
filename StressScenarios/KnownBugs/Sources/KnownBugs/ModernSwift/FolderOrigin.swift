import Dispatch
import Foundation
import Interlock
import LockStrategies

/// The folder from which a loading cache loads missing values: one file for each key.
///
/// Each load has its own queue, and so its own thread: no load waits for another, and none blocks a
/// thread of Swift's pool. A file contains its key, so that neither a damaged file nor two keys
/// with the same file name give a wrong value: both are a miss.
///
/// `@unchecked Sendable`: the counts are only touched under the lock.
final class FolderOrigin: @unchecked Sendable {
  private let folder: URL
  private let lock = PthreadMutexLock()
  private var loadsByKey: [String: Int] = [:]

  /// An origin over a folder, which is created if it is missing.
  ///
  /// - Parameter path: The folder. Nothing outside it is touched.
  /// - Throws: The system's error if the folder cannot be made.
  init(path: String) throws {
    folder = URL(fileURLWithPath: path, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Replaces a value's file atomically: a load finds the old file or the new one.
  ///
  /// - Throws: The system's error if the file cannot be written; the old file then stays.
  func publish(_ value: [UInt8], forKey key: String) throws {
    var file = Data()
    let name = Array(key.utf8)
    withUnsafeBytes(of: UInt64(name.count).littleEndian) { file.append(contentsOf: $0) }
    file.append(contentsOf: name)
    file.append(contentsOf: value)
    try file.write(to: url(of: key), options: .atomic)
  }

  /// Reads the value of a key, `nil` if there is none. Suspends the caller during the load.
  func load(_ key: String) async -> [UInt8]? {
    lock.withLock { loadsByKey[key, default: 0] += 1 }
    let queue = DispatchQueue(label: "interlock.folder-origin.load")
    return await withCheckedContinuation { continuation in
      queue.async {
        SYNC_POINT("origin.load.begins")
        let value = self.read(key)
        SYNC_POINT("origin.load.ends")
        continuation.resume(returning: value)
      }
    }
  }

  /// How often each key was loaded.
  var loads: [String: Int] { lock.withLock { loadsByKey } }

  private func read(_ key: String) -> [UInt8]? {
    guard let file = try? Data(contentsOf: url(of: key)) else { return nil }
    let name = Array(key.utf8)
    let header = MemoryLayout<UInt64>.size + name.count
    guard file.count >= header else { return nil }
    let length = file.prefix(MemoryLayout<UInt64>.size).reversed().reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    guard length == UInt64(name.count),
      file[MemoryLayout<UInt64>.size..<header].elementsEqual(name)
    else { return nil }
    return Array(file[header...])
  }

  /// The file of a key: its bytes in hexadecimal, or for a long key the first bytes and a hash of
  /// all. No key names a place outside the folder.
  private func url(of key: String) -> URL {
    let bytes = Array(key.utf8)
    let digits = bytes.prefix(64).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    var name = "k" + digits.joined()
    if bytes.count > 64 {
      // FNV-1a, 64 bits.
      let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      name += "-" + String(hash, radix: 16)
    }
    return folder.appendingPathComponent(name, isDirectory: false)
  }
}
