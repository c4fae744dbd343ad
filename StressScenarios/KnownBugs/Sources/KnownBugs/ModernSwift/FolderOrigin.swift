import Dispatch
import Interlock
import LockStrategies

/// The folder from which a loading cache loads missing values: one file for each key.
///
/// Each load has its own queue, and so its own thread: no load waits for another, and none blocks a
/// thread of Swift's pool.
///
/// `@unchecked Sendable`: the counts are only touched under the lock.
final class FolderOrigin: @unchecked Sendable {
  private let folder = CacheFolder(path: folderOfTrial())
  private let lock = PthreadMutexLock()
  private var loadsByKey: [String: Int] = [:]

  /// Replaces a value's file atomically: a load finds the old file or the new one.
  func publish(_ value: [UInt8], forKey key: String) {
    let isWritten = folder.write(Archive.bytes(of: value), to: folder.path(forKey: key))
    precondition(isWritten, "\(key) could not be published")
  }

  /// Reads the value of a key, `nil` if there is none. Suspends the caller during the load.
  func load(_ key: String) async -> [UInt8]? {
    lock.withLock { loadsByKey[key, default: 0] += 1 }
    let queue = DispatchQueue(label: "interlock.folder-origin.load")
    return await withCheckedContinuation { continuation in
      queue.async { [folder] in
        SYNC_POINT("origin.load.begins")
        let value = folder.read(folder.path(forKey: key)).flatMap(Archive.value(in:))
        SYNC_POINT("origin.load.ends")
        continuation.resume(returning: value)
      }
    }
  }

  var loads: [String: Int] { lock.withLock { loadsByKey } }
}
