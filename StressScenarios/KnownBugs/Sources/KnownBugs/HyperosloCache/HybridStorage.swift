import Interlock
import LockStrategies

/// Memory before disk, with observers, and no lock: HybridStorage.swift of hyperoslo's Cache 7.4.0
/// (`entry`, `setObject`, `removeObject`, `removeAll`, `removeExpiredObjects`, `transform`).
///
/// Every caller runs on a serial queue and assumes that no other queue calls the storage.
///
/// `@unchecked Sendable`: only that assumption guards the state; the sections detect where it is
/// wrong.
final class HybridStorage<Value: Sendable>: @unchecked Sendable {
  let memory: HybridMemoryStorage<Value>
  let disk: HybridDiskStorage<Value>
  let observers: HybridObservers<Value>
  /// Observers to call after the lock is released; `nil` if observers are called at once.
  private var outbox: [@Sendable () -> Void]?

  /// Combines the two; `repaired` says whether observers are guarded, and called outside the lock.
  init(
    memory: HybridMemoryStorage<Value>, disk: HybridDiskStorage<Value>, repaired: Bool
  ) {
    self.memory = memory
    self.disk = disk
    observers = HybridObservers(repaired: repaired)
    outbox = repaired ? [] : nil
  }

  /// Runs a call, and returns the observers to call afterwards. Called with the lock held.
  func collectingNotices<R>(
    _ body: (HybridStorage) throws -> R
  ) -> (Result<R, any Error>, [@Sendable () -> Void]) {
    let result = Result { try body(self) }
    let notices = outbox ?? []
    if !notices.isEmpty { outbox = [] }
    return (result, notices)
  }

  func entry(forKey key: String) throws -> HybridEntry<Value> {
    do {
      return try memory.entry(forKey: key)
    } catch {
      let entry = try disk.entry(forKey: key)
      memory.setObject(entry.object, forKey: key, expiry: entry.expiry)
      return entry
    }
  }

  /// As `entry`, but only the object.
  func object(forKey key: String) throws -> Value {
    if let object = memory.object(forKey: key) { return object }
    return try entry(forKey: key).object
  }

  func setObject(_ object: Value, forKey key: String, expiry: HybridExpiry?) throws {
    var change: HybridKeyChange<Value>?
    if observers.areThere(forKey: key) {
      change = .edit(before: try? entry(forKey: key).object, after: object)
    }
    memory.setObject(object, forKey: key, expiry: expiry)
    try disk.setObject(object, forKey: key, expiry: expiry)
    if let change { tell(observers.notices(of: change, forKey: key)) }
    tell(observers.notices(of: .add(key: key)))
  }

  func removeObject(forKey key: String) throws {
    memory.removeObject(forKey: key)
    fileWasRemoved(try disk.removeObject(forKey: key))
    tell(observers.notices(of: .remove(key: key)))
  }

  func removeInMemoryObject(forKey key: String) {
    memory.removeObject(forKey: key)
    tell(observers.notices(of: .removeInMemory(key: key)))
  }

  func removeAll() throws {
    memory.removeAll()
    try disk.removeAll()
    tell(observers.notices(of: .removeAll))
    tell(observers.noticesForAllKeys(of: .remove))
  }

  func removeExpiredObjects() throws {
    memory.removeExpiredObjects()
    try disk.removeExpiredObjects(removed: fileWasRemoved)
    tell(observers.notices(of: .removeExpired))
  }

  private func fileWasRemoved(_ path: String) {
    tell(observers.notices(of: .remove) { path.contains(disk.fileName(forKey: $0)) })
  }

  private func tell(_ notices: [@Sendable () -> Void]) {
    guard outbox == nil else {
      outbox?.append(contentsOf: notices)
      return
    }
    for notice in notices { notice() }
  }
}
