import Interlock

/// The storage of every built-in cache: a dictionary with costs and the order of accesses.
///
/// A cache of your own that is under test can store in it.
///
/// It locks nothing: its owner must exclude other accesses during a write. `BEGIN_LOCK` and
/// `END_LOCK` mark its reads and writes, which detects an owner that does not.
///
/// A read has two steps, `value(forKey:)` and `touch(_:)`, because real caches lock twice: PINCache
/// reads under its lock, releases it, and takes it again to note the access.
///
/// `@unchecked Sendable`: the harness tests whether it is shared safely.
public final class Storage: @unchecked Sendable {
  private struct Entry {
    var value: [UInt8]
    var cost: Int
    /// The number of its last access.
    var access: Int
  }

  private let isLocked: Bool
  private var stored: [String: Entry] = [:]
  private var costOfAll = 0
  /// The number of accesses so far: cheaper than a date, and unique.
  private var accesses = 0

  /// Makes an empty storage.
  ///
  /// - Parameter isLocked: Whether the owner claims to hold a lock in every call; the sections are
  ///   then synched.
  public init(isLocked: Bool) {
    self.isLocked = isLocked
  }

  /// Returns the value under a key, or `nil`; does not note the access.
  public func value(forKey key: String) -> [UInt8]? {
    begin(.noWrite)
    defer { end(.noWrite) }
    return stored[key]?.value
  }

  /// Notes a read of a key, if the key still exists.
  public func touch(_ key: String) {
    begin(.noReadWrite)
    defer { end(.noReadWrite) }
    accesses += 1
    // In place: assigning through `stored[key]?` moves the entry out and in again.
    if let index = stored.index(forKey: key) { stored.values[index].access = accesses }
  }

  /// Stores a value with its cost, in place of any earlier one.
  public func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    begin(.noReadWrite)
    defer { end(.noReadWrite) }
    accesses += 1
    let entry = Entry(value: value, cost: cost, access: accesses)
    let old = stored.updateValue(entry, forKey: key)
    costOfAll += cost - (old?.cost ?? 0)
  }

  /// Removes the value under a key, if there is one.
  public func removeValue(forKey key: String) {
    begin(.noReadWrite)
    defer { end(.noReadWrite) }
    guard let old = stored.removeValue(forKey: key) else { return }
    costOfAll -= old.cost
  }

  /// Removes every value.
  public func removeAllValues() {
    begin(.noReadWrite)
    defer { end(.noReadWrite) }
    stored.removeAll()
    costOfAll = 0
  }

  /// The number of values.
  public var count: Int {
    begin(.noWrite)
    defer { end(.noWrite) }
    return stored.count
  }

  /// The sum of the costs of all values.
  public var totalCost: Int {
    begin(.noWrite)
    defer { end(.noWrite) }
    return costOfAll
  }

  /// Returns every value with its cost.
  public func entries() -> [String: CacheEntry] {
    begin(.noWrite)
    defer { end(.noWrite) }
    return stored.mapValues { CacheEntry(value: $0.value, cost: $0.cost) }
  }

  private func begin(_ mode: Mode, function: StaticString = #function, line: UInt = #line) {
    if isLocked {
      BEGIN_SYNCHED_LOCK(mode, "cache.entries", of: self, function: function, line: line)
    } else {
      BEGIN_LOCK(mode, "cache.entries", of: self, function: function, line: line)
    }
  }

  private func end(_ mode: Mode, function: StaticString = #function, line: UInt = #line) {
    END_LOCK(mode, "cache.entries", of: self, function: function, line: line)
  }
}
