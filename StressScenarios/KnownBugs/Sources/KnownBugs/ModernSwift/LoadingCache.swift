import Caches

/// An actor that loads missing values, and awaits the load between look-up and store.
///
/// The design is that of the image downloader in Apple's WWDC 2021 session 10133, "Protect mutable
/// state with Swift actors". An actor runs one call at a time, but runs others while a call awaits
/// (SE-0306, "Actor reentrancy"): what was true before the `await` need not be true after it.
///
/// The session's first form has two faults. A second caller that arrives during the first load
/// finds nothing either, and loads the same key again. And when the load ends, its older value
/// overwrites one that was stored meanwhile.
///
/// Repaired as in the session's "better solution", the actor records the load that is under way,
/// and later callers await it. In addition, storing or removing a value discards the record of its
/// key's load, and only a load still on record is stored.
actor LoadingCache: AsyncCache {
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

  /// An empty cache; without an origin it loads nothing.
  init(over origin: FolderOrigin?, repaired: Bool) {
    self.origin = origin
    isRepaired = repaired
  }

  /// The value under a key, loaded if it is missing; notes the access.
  func value(forKey key: String) async -> [UInt8]? {
    if let value = storage.value(forKey: key) {
      storage.touch(key)
      return value
    }
    guard let origin else { return nil }
    return isRepaired ? await loadOnce(key, from: origin) : await load(key, from: origin)
  }

  /// As shipped: the actor runs other calls during the load, and no record shows them the load.
  private func load(_ key: String, from origin: FolderOrigin) async -> [UInt8]? {
    let loaded = await origin.load(key)
    if let loaded { storage.setValue(loaded, forKey: key, cost: loaded.count) }
    return loaded
  }

  /// Repaired: the load is on record before the actor runs other calls.
  private func loadOnce(_ key: String, from origin: FolderOrigin) async -> [UInt8]? {
    if let load = loads[key] { return await load.task.value }
    loadCount += 1
    let load = Load(number: loadCount, task: Task { await origin.load(key) })
    loads[key] = load
    let loaded = await load.task.value
    // Check again after the `await`: the change that discarded the load is newer than its value.
    if loads[key]?.number == load.number {
      loads[key] = nil
      if let loaded { storage.setValue(loaded, forKey: key, cost: loaded.count) }
    }
    return loaded
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    loads[key] = nil
    storage.setValue(value, forKey: key, cost: cost)
  }

  /// Removes a value from the cache; the origin keeps its own.
  func removeValue(forKey key: String) {
    loads[key] = nil
    storage.removeValue(forKey: key)
  }

  func removeAllValues() {
    loads = [:]
    storage.removeAllValues()
  }

  var count: Int { storage.count }

  var totalCost: Int? { storage.totalCost }

  func entries() -> [String: CacheEntry]? { storage.entries() }
}
