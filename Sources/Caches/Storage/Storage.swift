import Interlock

/// The storage of every built-in cache: a dictionary with costs and the order of accesses.
///
/// It locks nothing: its owner must exclude other accesses during a write. Its reads and writes are
/// sections on its own resource, which detect an owner that does not.
///
/// A read has two steps, `value(forKey:)` and `touch(_:)`, because real caches lock twice: PINCache
/// reads under its lock, releases it, and takes it again to note the access.
///
/// `@unchecked Sendable`: the harness tests whether it is shared safely.
package final class Storage: @unchecked Sendable {
  private struct Entry {
    var value: [UInt8]
    var cost: Int
    /// The number of its last access.
    var access: Int
  }

  private let section = Section("cache.entries")
  private let isLocked: Bool
  private var stored: [String: Entry] = [:]
  private var costOfAll = 0
  /// The number of accesses so far: cheaper than a date, and unique.
  private var accesses = 0

  /// Makes an empty storage.
  ///
  /// - Parameter isLocked: Whether the owner claims to hold a lock in every call; the sections are
  ///   then synched.
  package init(isLocked: Bool) {
    self.isLocked = isLocked
  }

  package func value(forKey key: String) -> [UInt8]? {
    section.read(synched: isLocked) { stored[key]?.value }
  }

  /// Notes a read of a key, if the key still exists.
  package func touch(_ key: String) {
    section.write(synched: isLocked) {
      accesses += 1
      // In place: assigning through `stored[key]?` moves the entry out and in again.
      if let index = stored.index(forKey: key) { stored.values[index].access = accesses }
    }
  }

  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    section.write(synched: isLocked) {
      accesses += 1
      let entry = Entry(value: value, cost: cost, access: accesses)
      let old = stored.updateValue(entry, forKey: key)
      costOfAll += cost - (old?.cost ?? 0)
    }
  }

  package func removeValue(forKey key: String) {
    section.write(synched: isLocked) {
      guard let old = stored.removeValue(forKey: key) else { return }
      costOfAll -= old.cost
    }
  }

  package func removeAllValues() {
    section.write(synched: isLocked) {
      stored.removeAll()
      costOfAll = 0
    }
  }

  package var count: Int {
    section.read(synched: isLocked) { stored.count }
  }

  package var totalCost: Int {
    section.read(synched: isLocked) { costOfAll }
  }

  package func entries() -> [String: CacheEntry] {
    section.read(synched: isLocked) {
      stored.mapValues { CacheEntry(value: $0.value, cost: $0.cost) }
    }
  }
}
