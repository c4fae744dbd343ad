import Foundation
import Interlock
import LockStrategies

/// A change of a storage: StorageObservationRegistry.swift of hyperoslo's Cache 7.4.0.
enum HybridStorageChange: Sendable, Hashable {
  /// An object was stored.
  case add(key: String)
  /// An object was removed.
  case remove(key: String)
  /// An object was removed from memory, and is still on disk.
  case removeInMemory(key: String)
  /// Everything was removed.
  case removeAll
  /// Expired objects were removed.
  case removeExpired
}

/// A change of a key: KeyObservationRegistry.swift of hyperoslo's Cache 7.4.0.
enum HybridKeyChange<Value: Sendable>: Sendable {
  /// The key has another object.
  case edit(before: Value?, after: Value)
  /// The key's object was removed.
  case remove
}

/// Ends an observation: ObservationToken.swift of hyperoslo's Cache 7.4.0.
struct HybridObservation: Sendable {
  let end: @Sendable () -> Void

  /// Ends the observation. As shipped a thread that is about to call the observer still calls it;
  /// repaired, this waits for a call under way on another thread, and no call follows its return.
  func cancel() { end() }
}

/// The observers of a storage and of its keys: the two dictionaries of HybridStorage.swift.
///
/// As shipped nothing guards them: any thread adds and removes observers, and each queue that calls
/// the storage looks them up. Repaired, a lock guards them.
///
/// `@unchecked Sendable`: the section detects overlapping accesses; repaired, all are under `lock`.
final class HybridObservers<Value: Sendable>: @unchecked Sendable {
  typealias StorageClosure = @Sendable (HybridStorageChange) -> Void
  typealias KeyClosure = @Sendable (HybridKeyChange<Value>) -> Void

  private let lock: PthreadMutexLock?
  private let section = Section("hybridstorage.observers")
  private var lastNumber = 0
  private var ofStorage: [Int: Observer<HybridStorageChange>] = [:]
  private var ofKeys: [String: Observer<HybridKeyChange<Value>>] = [:]

  init(repaired: Bool) {
    lock = repaired ? PthreadMutexLock() : nil
  }

  private func read<R>(_ body: () -> R) -> R {
    guard let lock else { return section.read(body) }
    return lock.withLock { section.read(synched: true, body) }
  }

  private func write<R>(_ body: () -> R) -> R {
    func change() -> R {
      SYNC_POINT("hybridobservers.write.inside")
      return body()
    }
    guard let lock else { return section.write(change) }
    return lock.withLock { section.write(synched: true, change) }
  }

  func add(_ closure: @escaping StorageClosure) -> HybridObservation {
    let observer = Observer(closure, waits: lock != nil)
    let number = write {
      lastNumber += 1
      ofStorage[lastNumber] = observer
      return lastNumber
    }
    return HybridObservation { [weak self] in
      self?.write { _ = self?.ofStorage.removeValue(forKey: number) }
      observer.cancel()
    }
  }

  /// Adds the observer of a key, and replaces the previous one.
  func add(forKey key: String, _ closure: @escaping KeyClosure) -> HybridObservation {
    let observer = Observer(closure, waits: lock != nil)
    let old = write { ofKeys.updateValue(observer, forKey: key) }
    old?.cancel()
    return HybridObservation { [weak self] in
      // As shipped, this removes the key's observer even if another one has replaced it.
      self?.write {
        guard self?.lock == nil || self?.ofKeys[key] === observer else { return }
        _ = self?.ofKeys.removeValue(forKey: key)
      }
      observer.cancel()
    }
  }

  func removeAllOfStorage() {
    let old = write {
      defer { ofStorage = [:] }
      return ofStorage
    }
    for observer in old.values { observer.cancel() }
  }

  func removeAllOfKeys() {
    let old = write {
      defer { ofKeys = [:] }
      return ofKeys
    }
    for observer in old.values { observer.cancel() }
  }

  func areThere(forKey key: String) -> Bool { read { ofKeys[key] != nil } }

  // Each of these copies the observers first and calls them later, as iterating over a dictionary
  // iterates over a copy.

  func notices(of change: HybridStorageChange) -> [@Sendable () -> Void] {
    read { Array(ofStorage.values) }.map { observer in { observer.tell(change) } }
  }

  func notices(
    of change: HybridKeyChange<Value>, forKey key: String
  ) -> [@Sendable () -> Void] {
    guard let observer = read({ ofKeys[key] }) else { return [] }
    return [{ observer.tell(change) }]
  }

  func notices(
    of change: HybridKeyChange<Value>, whereKey isMeant: (String) -> Bool
  ) -> [@Sendable () -> Void] {
    let observer = read { ofKeys }.first { isMeant($0.key) }?.value
    guard let observer else { return [] }
    return [{ observer.tell(change) }]
  }

  func noticesForAllKeys(of change: HybridKeyChange<Value>) -> [@Sendable () -> Void] {
    read { Array(ofKeys.values) }.map { observer in { observer.tell(change) } }
  }
}

/// An observer of a storage or of a key.
///
/// `@unchecked Sendable`: `isCancelled` is only touched under the lock.
private final class Observer<Change: Sendable>: @unchecked Sendable {
  private let closure: @Sendable (Change) -> Void
  // Recursive: an observer may end its own observation. Two observers that end each other's
  // observation at once deadlock: the price of the promise that no call follows a cancel.
  private let lock: RecursiveFoundationLock?
  private var isCancelled = false

  init(_ closure: @escaping @Sendable (Change) -> Void, waits: Bool) {
    self.closure = closure
    lock = waits ? RecursiveFoundationLock() : nil
  }

  func tell(_ change: Change) {
    SYNC_POINT("hybridobservers.tell.beforeCall")
    guard let lock else { return closure(change) }
    lock.withLock { if !isCancelled { closure(change) } }
  }

  func cancel() {
    lock?.withLock { isCancelled = true }
  }
}
