package import Caches
package import Foundation

/// The methods of a disk cache that the pair uses; both versions have them.
package protocol PINDisk: Cache {
  /// The object under a key.
  func object(forKey key: String) -> PINObject?
  /// The object under a key, later; the object is `nil` if there is none.
  func object(forKey key: String, completion: @escaping @Sendable (PINObject?) -> Void)
  /// Whether there is an object under a key.
  func containsObject(forKey key: String) -> Bool
  /// Notes a use of a key, later.
  func touch(_ key: String)
  /// Writes an object's file; returns its path, or `nil` if it could not be written.
  func setObject(_ object: PINObject, forKey key: String, ageLimit: TimeInterval) -> String?
  /// Removes a key.
  func removeObject(forKey key: String)
  /// Removes files that are older than a date.
  func trim(to date: Date)
  /// Removes expired files; does nothing in 2.0.
  func removeExpiredObjects()
  /// Removes everything.
  func removeAllObjects()
  /// The cache's sum of its files' sizes, in bytes.
  var byteCount: UInt { get }
  /// The byte count, read under the files' lock.
  var lockedByteCount: UInt { get }
  /// The cache's records: the size of each key's file.
  var knownSizes: [String: UInt] { get }
  /// The files that are in the directory.
  func storedFiles() -> [String: PINStoredFile]
  /// Where removed files go.
  var trash: PINTrash { get }
}

extension PINDiskCache2: PINDisk {
  /// The object under a key, later: the completion runs under the cache's lock.
  package func object(forKey key: String, completion: @escaping @Sendable (PINObject?) -> Void) {
    object(forKey: key) { _, _, object, _ in completion(object) }
  }

  /// Whether a key has a file; notes a use, since 2.0 has no other way to check.
  package func containsObject(forKey key: String) -> Bool { filePath(forKey: key) != nil }

  /// Notes a use of a key, later.
  package func touch(_ key: String) {
    filePath(forKey: key, completion: nil)
  }

  /// Writes an object's file; 2.0 has no age limit for a single key.
  package func setObject(
    _ object: PINObject, forKey key: String, ageLimit: TimeInterval
  ) -> String? { setObject(object, forKey: key) }

  /// Does nothing: files do not expire in 2.0.
  package func removeExpiredObjects() {}

  /// The byte count, read under the lock of the files.
  package var lockedByteCount: UInt {
    var count: UInt = 0
    synchronouslyLockFileAccess { count = $0.byteCount }
    return count
  }
}

extension PINDiskCache3: PINDisk {
  /// The object under a key, later.
  package func object(forKey key: String, completion: @escaping @Sendable (PINObject?) -> Void) {
    object(forKey: key) { _, _, object, _ in completion(object) }
  }

  /// Notes a use of a key, later.
  package func touch(_ key: String) {
    filePath(forKey: key) { _, _ in }
  }

  /// The byte count, read under the lock of the files.
  package var lockedByteCount: UInt {
    var count: UInt = 0
    synchronouslyLockFileAccess { count = $0.byteCount }
    return count
  }
}
