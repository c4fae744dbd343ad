import Interlock

/// Objects in memory, and a set of their keys: MemoryStorage.swift of hyperoslo's Cache 7.4.0.
///
/// The store is thread-safe; the set beside it is not, and the caller has to guard it. The set
/// keeps the keys of objects that the store has evicted. The store gets no costs (issues 292 and
/// 332), so that only the count limit works. A read also returns an expired object: the caller has
/// to check.
///
/// `@unchecked Sendable`: only the caller's queue guards the set, if anything does.
final class HybridMemoryStorage<Value: Sendable>: @unchecked Sendable {
  private struct Capsule {
    var object: Value
    var expiry: HybridExpiry
  }

  private let store: EvictingStore<Capsule>
  private let expiry: HybridExpiry
  private let countLimit: Int
  private let keysSection = Section("hybridstorage.memory.keys")
  private var keys: Set<String> = []

  /// Makes an empty storage.
  ///
  /// - Parameters:
  ///   - expiry: The expiry of objects stored without one.
  ///   - countLimit: How many objects there may be; zero is no limit.
  init(expiry: HybridExpiry = .never, countLimit: Int = 0) {
    self.expiry = expiry
    self.countLimit = countLimit
    store = EvictingStore(countLimit: countLimit)
  }

  /// An empty storage of other objects with the same settings.
  func transformed<Other: Sendable>() -> HybridMemoryStorage<Other> {
    HybridMemoryStorage<Other>(expiry: expiry, countLimit: countLimit)
  }

  // Every caller runs on a serial queue and relies on it as a lock, so each section claims one.

  var allKeys: Set<String> { keysSection.read(synched: true) { keys } }

  /// The keys of objects that the store still holds.
  var storedKeys: Set<String> { store.keys }

  func entry(forKey key: String) throws(HybridStorageError) -> HybridEntry<Value> {
    guard let capsule = store.value(forKey: key) else { throw .notFound }
    return HybridEntry(object: capsule.object, expiry: capsule.expiry)
  }

  func object(forKey key: String) -> Value? { store.value(forKey: key)?.object }

  func setObject(_ object: Value, forKey key: String, expiry: HybridExpiry?) {
    store.setValue(
      Capsule(object: object, expiry: .date((expiry ?? self.expiry).date)), forKey: key)
    keysSection.write(synched: true) {
      SYNC_POINT("hybridmemorystorage.setObject.insertingKey")
      keys.insert(key)
    }
  }

  func removeObject(forKey key: String) {
    store.removeValue(forKey: key)
    keysSection.write(synched: true) { _ = keys.remove(key) }
  }

  func removeAll() {
    store.removeAll()
    keysSection.write(synched: true) { keys.removeAll() }
  }

  func removeExpiredObjects() {
    for key in allKeys {
      guard let capsule = store.value(forKey: key), capsule.expiry.isExpired else { continue }
      removeObject(forKey: key)
    }
  }
}
