package import Caches

/// An actor that loads what it lacks, and awaits the load between its look and its act.
///
/// The design is that of the image downloader in Apple's WWDC 2021 session 10133, "Protect mutable
/// state with Swift actors". An actor lets one in at a time, but everybody while it awaits
/// (SE-0306, "Actor reentrancy"): what was true before the `await` need not be true after it.
///
/// As shipped there, in the session's first form, that has two ends. A second caller comes while
/// the first one's load is under way, finds nothing either, and loads again: there are two loads of
/// one key. And a value that was stored meanwhile is overwritten by the older one when the load
/// ends.
///
/// Repaired as in the session's "better solution", the actor keeps the load that is under way: who
/// comes meanwhile waits for that. Beside it, storing or removing a value forgets the load of its
/// key, and only a load that was not forgotten is stored.
package actor LoadingCache: AsyncCache {
  private struct Load {
    var number: Int
    var task: Task<[UInt8]?, Never>
  }

  private let origin: FolderOrigin?
  private let isRepaired: Bool
  private let storage = Storage(isLocked: true)
  /// The loads that are under way; empty as shipped.
  private var loads: [String: Load] = [:]
  private var loadCount = 0

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - origin: Where to load what is missing; `nil` for a cache that finds what was stored, and
  ///     no more.
  ///   - repaired: Whether it keeps the loads that are under way.
  package init(over origin: FolderOrigin?, repaired: Bool) {
    self.origin = origin
    isRepaired = repaired
  }

  /// The value under a key, loaded where it is missing; notes the access.
  package func value(forKey key: String) async -> [UInt8]? {
    if let value = storage.value(forKey: key) {
      storage.touch(key)
      return value
    }
    guard let origin else { return nil }
    return isRepaired ? await loadOnce(key, from: origin) : await load(key, from: origin)
  }

  /// As shipped: the actor is open to others during the load, and nothing tells them of it.
  private func load(_ key: String, from origin: FolderOrigin) async -> [UInt8]? {
    let loaded = await origin.load(key)
    if let loaded { storage.setValue(loaded, forKey: key, cost: loaded.count) }
    return loaded
  }

  /// Repaired: the load is on record before the actor is open to others.
  private func loadOnce(_ key: String, from origin: FolderOrigin) async -> [UInt8]? {
    if let load = loads[key] { return await load.task.value }
    loadCount += 1
    let load = Load(number: loadCount, task: Task { await origin.load(key) })
    loads[key] = load
    let loaded = await load.task.value
    // Looked at again after the `await`: a load that was forgotten is older than what made it so.
    if loads[key]?.number == load.number {
      loads[key] = nil
      if let loaded { storage.setValue(loaded, forKey: key, cost: loaded.count) }
    }
    return loaded
  }

  /// Stores a value.
  package func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    loads[key] = nil
    storage.setValue(value, forKey: key, cost: cost)
  }

  /// Removes a value from the cache; the origin keeps its own.
  package func removeValue(forKey key: String) {
    loads[key] = nil
    storage.removeValue(forKey: key)
  }

  /// Removes every value from the cache; the origin keeps its own.
  package func removeAllValues() {
    loads = [:]
    storage.removeAllValues()
  }

  /// How many values there are in memory.
  package var count: Int { storage.count }

  /// What all values in memory cost together.
  package var totalCost: Int? { storage.totalCost }

  /// What is stored in memory.
  package func entries() -> [String: CacheEntry]? { storage.entries() }
}
