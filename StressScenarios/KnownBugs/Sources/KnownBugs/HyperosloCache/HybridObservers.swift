import Foundation
import Interlock
import LockStrategies

/// Ends an observation: ObservationToken.swift of hyperoslo's Cache 7.4.0.
struct HybridObservation: Sendable {
  /// Ends the observation. As shipped a thread that is about to call the observer still calls it;
  /// repaired, this waits for a call under way on another thread, and no call follows its return.
  let cancel: @Sendable () -> Void
}

/// The observers of a storage: a dictionary of HybridStorage.swift.
///
/// As shipped nothing guards it: any thread adds and removes observers, and each queue that calls
/// the storage looks them up. Repaired, a lock guards it.
///
/// `@unchecked Sendable`: the section detects overlapping accesses; repaired, all are under `lock`.
final class HybridObservers: @unchecked Sendable {
  private let lock: PthreadMutexLock?
  private let section = Section("hybridstorage.observers")
  private var lastNumber = 0
  private var observers: [Int: Observer] = [:]

  init(repaired: Bool) {
    lock = repaired ? PthreadMutexLock() : nil
  }

  private func write<R>(_ body: () -> R) -> R {
    func change() -> R {
      SYNC_POINT("hybridobservers.write.inside")
      return body()
    }
    guard let lock else { return section.write(change) }
    return lock.withLock { section.write(synched: true, change) }
  }

  func add(_ closure: @escaping @Sendable () -> Void) -> HybridObservation {
    let observer = Observer(closure, waits: lock != nil)
    let number = write {
      lastNumber += 1
      observers[lastNumber] = observer
      return lastNumber
    }
    return HybridObservation { [weak self] in
      self?.write { _ = self?.observers.removeValue(forKey: number) }
      observer.cancel()
    }
  }

  /// Blocks that call the observers; copied first, as iterating over a dictionary copies it.
  func notices() -> [@Sendable () -> Void] {
    let copies =
      lock.map { $0.withLock { section.read(synched: true) { observers } } }
      ?? section.read { observers }
    return copies.values.map { observer in { observer.tell() } }
  }
}

/// An observer of a storage.
///
/// `@unchecked Sendable`: `isCancelled` is only touched under the lock.
private final class Observer: @unchecked Sendable {
  private let closure: @Sendable () -> Void
  // Recursive: an observer may end its own observation. Two observers that end each other's
  // observation at once deadlock: the price of the promise that no call follows a cancel.
  private let lock: RecursiveFoundationLock?
  private var isCancelled = false

  init(_ closure: @escaping @Sendable () -> Void, waits: Bool) {
    self.closure = closure
    lock = waits ? RecursiveFoundationLock() : nil
  }

  func tell() {
    SYNC_POINT("hybridobservers.tell.beforeCall")
    guard let lock else { return closure() }
    lock.withLock { if !isCancelled { closure() } }
  }

  func cancel() {
    lock?.withLock { isCancelled = true }
  }
}
