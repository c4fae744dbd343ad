import Caches
import Foundation
import Interlock
import LockStrategies

/// Foundation's own `NSCache`: the real component, with an index of its keys, which it does not
/// list.
///
/// On Linux this is swift-corelibs-foundation's (`Sources/Foundation/NSCache.swift`, as of Swift
/// 6.3): a dictionary and a list in the order of cost, under one `NSLock`. Its peculiarities, which
/// Apple's documentation does not mention:
///
/// - The delegate's `cache(_:willEvictObject:)` is called under that lock, and the lock is not
///   recursive: a delegate that calls the cache deadlocks on its own thread.
/// - Values are released under it too, whether replaced, removed or evicted: a value whose `deinit`
///   calls the cache deadlocks in the same way.
/// - Among values of one cost the newest stands first in the list, and the list is evicted from its
///   beginning: a full cache of equal costs evicts the newest value. Cost decides first, use never.
/// - A value that costs more than the limit is evicted at once, and every cheaper value before it.
/// - A lower limit only takes effect when the next value is stored.
/// - The delegate is not called for replacing and removing.
final class FoundationCache: Cache {
  /// The peculiarities that are mended.
  struct Repairs: OptionSet, Sendable {
    let rawValue: Int

    /// Evicted values live until no lock is held, and the handler is called then.
    static let callsOutsideLocks = Repairs(rawValue: 1)
    /// The cost given to `NSCache` is a running number, so that the oldest value is evicted first;
    /// this rules out a limit of the total cost.
    static let evictsOldest = Repairs(rawValue: 2)
  }

  /// Called with a key and the cache that its value was in.
  typealias Handler = @Sendable (_ cache: FoundationCache, _ key: String) -> Void

  // Set up before any other thread has the cache, then only called; its methods are thread-safe.
  nonisolated(unsafe) private let values = NSCache<NSString, StoredValue>()
  private let delegate: EvictionDelegate
  private let index = KeyIndex()
  private let repairs: Repairs
  private let onEviction: Handler?
  private let onRelease: Handler?
  /// Held during each change; used by the repaired cache only.
  private let changing = PthreadMutexLock()
  private let numbers = RunningNumber()

  /// Makes an empty cache; a `countLimit` of 0 means no limit. `onEviction` is called with the key
  /// of each evicted value, and `onRelease` by a value's `deinit`.
  init(
    countLimit: Int = 0, repairs: Repairs = [], onEviction: Handler? = nil,
    onRelease: Handler? = nil
  ) {
    self.repairs = repairs
    self.onEviction = onEviction
    self.onRelease = onRelease
    delegate = EvictionDelegate(index: index, keeps: repairs.contains(.callsOutsideLocks))
    values.countLimit = countLimit
    values.delegate = delegate
    guard !repairs.contains(.callsOutsideLocks) else { return }
    delegate.onEviction = { [weak self] key in
      if let self { onEviction?(self, key) }
    }
  }

  func value(forKey key: String) -> [UInt8]? {
    values.object(forKey: key as NSString)?.value
  }

  /// Stores a value, and evicts others, or the value itself, if a limit is exceeded.
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    let stored = StoredValue(
      key: key, value: value, cost: cost, owner: onRelease == nil ? nil : self)
    change([key]) {
      values.setObject(
        stored, forKey: key as NSString,
        cost: repairs.contains(.evictsOldest) ? numbers.next() : cost)
      // After the store: an eviction of the key's older value must not remove the new entry.
      index.insert(key)
    }
  }

  func removeValue(forKey key: String) {
    change([key]) {
      values.removeObject(forKey: key as NSString)
      index.remove(key)
    }
  }

  func removeAllValues() {
    change(index.keys) {
      values.removeAllObjects()
      index.removeAll()
    }
  }

  /// Changes the values of some keys. Repaired, values that the change removes live until the lock
  /// is free, and the handler is called then; `NSCache` does not expose its lock, so this takes
  /// another.
  private func change(_ keys: Set<String>, _ body: () -> Void) {
    guard repairs.contains(.callsOutsideLocks) else { return body() }
    let (replaced, evicted) = changing.withLock {
      let replaced = keys.compactMap { values.object(forKey: $0 as NSString) }
      body()
      return (replaced, delegate.takeEvicted())
    }
    for value in evicted { onEviction?(self, value.key) }
    withExtendedLifetime(replaced) {}
  }

  /// Called by a value's `deinit`.
  fileprivate func wasReleased(_ key: String) { onRelease?(self, key) }

  // MARK: What NSCache does not list

  var count: Int { present.count }

  var totalCost: Int? { present.reduce(0) { $0 + $1.cost } }

  func entries() -> [String: CacheEntry]? {
    Dictionary(
      present.map { ($0.key, CacheEntry(value: $0.value, cost: $0.cost)) },
      uniquingKeysWith: { first, _ in first })
  }

  private var present: [StoredValue] {
    index.keys.compactMap { values.object(forKey: $0 as NSString) }
  }
}

/// A value in an `NSCache`, which takes objects only.
///
/// `@unchecked Sendable`: only the weak reference changes, and the runtime clears it atomically.
final class StoredValue: NSObject, @unchecked Sendable {
  let key: String
  let value: [UInt8]
  let cost: Int
  private weak var owner: FoundationCache?

  init(key: String, value: [UInt8], cost: Int, owner: FoundationCache?) {
    self.key = key
    self.value = value
    self.cost = cost
    self.owner = owner
  }

  deinit { owner?.wasReleased(key) }
}

extension FoundationCache {
  /// The component that this system lacks to show the peculiarities named above; `nil` if it has
  /// it.
  static var lackingForPeculiarities: String? {
    #if os(Linux)
    nil
    #else
    "the NSCache of swift-corelibs-foundation, which is Linux's"
    #endif
  }
}
