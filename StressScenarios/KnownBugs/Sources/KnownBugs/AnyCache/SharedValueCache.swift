import Caches
import Interlock
import LockStrategies

/// A cache of mutable values that hands out the object that it holds.
///
/// The cache itself is locked and correct, but two callers that read the same key share one object:
/// the lock guards the look-up and not the object. This is the warning at the end of "third-party
/// cache framework of PINCache": two threads read one NSMutableDictionary from PINMemoryCache, and
/// both update it.
///
/// Repaired, each caller edits a copy and stores it. (Of two concurrent edits one is still lost:
/// that is a different mistake, which `CountingCache` shows.)
final class SharedValueCache: Cache {
  /// A mutable object in the cache; its tracked property detects concurrent changes.
  ///
  /// `@unchecked Sendable`: the bug under test is that every caller may change the shared object.
  final class Document: @unchecked Sendable {
    @Tracked var bytes: [UInt8] = []
    fileprivate let cost: Int

    fileprivate init(_ bytes: [UInt8], cost: Int) {
      self.bytes = bytes
      self.cost = cost
    }
  }

  private let lock = PthreadMutexLock()
  private let isRepaired: Bool
  // The table is only touched under the lock; the objects in it are not.
  nonisolated(unsafe) private var documents: [String: Document] = [:]

  init(repaired: Bool) { isRepaired = repaired }

  /// Changes the value under a key, if there is one; returns whether there is.
  func edit(_ key: String, _ change: (inout [UInt8]) -> Void) -> Bool {
    if isRepaired {
      guard var bytes = value(forKey: key) else { return false }
      Self.apply(change, to: &bytes)
      setValue(bytes, forKey: key, cost: bytes.count)
    } else {
      guard let document = document(forKey: key) else { return false }
      // The look-up has already released the lock.
      Self.apply(change, to: &document.bytes)
    }
    return true
  }

  private static func apply(_ change: (inout [UInt8]) -> Void, to bytes: inout [UInt8]) {
    SYNC_POINT("sharedvaluecache.edit.inside")
    change(&bytes)
  }

  /// The object under a key, the cache's own.
  func document(forKey key: String) -> Document? {
    lock.withLock { documents[key] }
  }

  /// A copy of the bytes of the object under a key.
  func value(forKey key: String) -> [UInt8]? { lock.withLock { documents[key]?.bytes } }

  /// Stores a value, in an object of its own.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { documents[key] = Document(value, cost: cost) }
  }

  func removeValue(forKey key: String) { lock.withLock { documents[key] = nil } }

  func removeAllValues() { lock.withLock { documents = [:] } }

  var count: Int { lock.withLock { documents.count } }

  var totalCost: Int? { lock.withLock { documents.values.reduce(0) { $0 + $1.cost } } }

  func entries() -> [String: CacheEntry]? {
    lock.withLock { documents.mapValues { CacheEntry(value: $0.bytes, cost: $0.cost) } }
  }
}
