import Foundation
import Interlock
import LockStrategies
import Synchronization

/// The delegate that `NSCache` calls before it evicts a value; on Linux under the cache's lock.
///
/// `@unchecked Sendable`: `onEviction` is set once, before the cache is used; `evicted` is only
/// used by the repaired cache, which holds its lock during each change.
final class EvictionDelegate: NSObject, NSCacheDelegate, @unchecked Sendable {
  /// As shipped: called at once.
  var onEviction: (@Sendable (String) -> Void)?
  private let index: KeyIndex
  private let keeps: Bool
  private var evicted: [StoredValue] = []

  /// A delegate that takes evicted keys out of an index, and may keep the values until they are
  /// taken.
  init(index: KeyIndex, keeps: Bool) {
    self.index = index
    self.keeps = keeps
  }

  func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
    guard let value = object as? StoredValue else { return }
    index.remove(value.key)
    if keeps { evicted.append(value) }
    onEviction?(value.key)
  }

  /// The values evicted since the last call.
  func takeEvicted() -> [StoredValue] {
    defer { evicted = [] }
    return evicted
  }
}

/// The keys that an `NSCache` may hold. No method calls the cache under this lock, so the two locks
/// cannot form a cycle.
///
/// `@unchecked Sendable`: the set is only touched under the lock.
final class KeyIndex: @unchecked Sendable {
  private let lock = PthreadMutexLock()
  private let section = Section("foundationcache.index")
  private var known: Set<String> = []

  var keys: Set<String> {
    lock.withLock { section.read(synched: true) { known } }
  }

  func insert(_ key: String) { change { _ = $0.insert(key) } }

  func remove(_ key: String) { change { _ = $0.remove(key) } }

  func removeAll() { change { $0 = [] } }

  private func change(_ body: (inout Set<String>) -> Void) {
    lock.withLock { section.write(synched: true) { body(&known) } }
  }
}

/// Numbers from 1, each given once.
final class RunningNumber: Sendable {
  private let last = Atomic(0)

  /// The next number. Relaxed: the numbers only have to differ.
  func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
