import Caches
import Interlock

/// The cache of bytes that the harness knows; it keeps sizes, not costs.
extension PINDiskCache3: Cache {
  /// The bytes under a key.
  package func value(forKey key: String) -> [UInt8]? { object(forKey: key)?.bytes }

  /// Stores bytes, in an object.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    setObject(PINObject(value), forKey: key)
  }

  /// Removes a key.
  package func removeValue(forKey key: String) { removeObject(forKey: key) }

  /// Removes everything.
  package func removeAllValues() { removeAllObjects() }

  /// How many keys the cache has on record.
  package var count: Int { knownSizes.count }

  /// The cache's records: the size of each key's file. Waits for the first scan.
  package var knownSizes: [String: UInt] {
    lockAndWaitForKnownState()
    defer { unlock() }
    return section.read(synched: true) { metadata.mapValues { $0.size ?? 0 } }
  }

  /// The files that are in the directory.
  package func storedFiles() -> [String: PINStoredFile] {
    lock()
    defer { unlock() }
    return folder.storedFiles()
  }

  /// Reads by the scheduler.
  package func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    object(forKey: key) { _, _, object, _ in completion(object?.bytes) }
  }

  /// Stores by the scheduler.
  package func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    setObject(PINObject(value), forKey: key) { _, _, _, _ in completion() }
  }

  /// Removes by the scheduler.
  package func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    removeObject(forKey: key) { _, _, _, _ in completion() }
  }
}
