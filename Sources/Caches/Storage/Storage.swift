import Interlock

/// What every built-in cache keeps its values in: a dictionary with costs and the order of
/// accesses.
///
/// It locks nothing. Whoever owns it must see to it that nobody writes while another is in; its
/// reads and writes are sections on a resource of its own, so an owner that fails to is found out.
///
/// A read comes in two steps, `value(forKey:)` and `touch(_:)`, because the real caches lock twice
/// for it: PINCache reads under its lock, lets go, and takes it again to note the access.
///
/// `@unchecked Sendable`: whether it is shared safely is the question that the harness asks.
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
  /// How many accesses there were: cheaper than a date, and no two are alike.
  private var accesses = 0

  /// Makes an empty storage.
  ///
  /// - Parameter isLocked: Whether the owner says that it holds a lock at every call: its sections
  ///   are then synched ones.
  package init(isLocked: Bool) {
    self.isLocked = isLocked
  }

  package func value(forKey key: String) -> [UInt8]? {
    section.read(synched: isLocked) { stored[key]?.value }
  }

  /// Notes that a key has been read, if it is still there.
  package func touch(_ key: String) {
    section.write(synched: isLocked) {
      accesses += 1
      // In place: to assign through `stored[key]?` moves the entry out and in again.
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
