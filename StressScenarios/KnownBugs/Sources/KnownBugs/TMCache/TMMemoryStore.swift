import Caches
import Foundation
import Interlock

/// The state of TMMemoryCache: three dictionaries by key, and the sum of the costs.
///
/// The store locks nothing; its sections check whether its owner does. `@unchecked Sendable`: the
/// owner excludes other accesses during a write.
final class TMMemoryStore: @unchecked Sendable {
  private let section = Section("tmcache.memory")
  private let repairs: TMRepairs
  private var objects: [String: CachedObject] = [:]
  private var dates: [String: Date] = [:]
  private var costs: [String: Int] = [:]
  private var costOfAll = 0

  init(repairs: TMRepairs) {
    self.repairs = repairs
  }

  func object(forKey key: String) -> CachedObject? {
    section.read(synched: true) { objects[key] }
  }

  /// Notes an access.
  func touch(_ key: String, at date: Date) {
    section.write(synched: true) {
      // As shipped without a check: a key that was removed since the read gets a date again, and
      // nothing else.
      if repairs.contains(.exactTotals), objects[key] == nil { return }
      dates[key] = date
    }
  }

  /// Finds an object and notes the access in one step: the hit of the repaired cache.
  func touchedObject(forKey key: String, at date: Date) -> CachedObject? {
    section.write(synched: true) {
      guard let object = objects[key] else { return nil }
      dates[key] = date
      return object
    }
  }

  /// Stores an object, and returns the one that it replaces, so that the caller releases it.
  func insert(_ object: CachedObject, forKey key: String, cost: Int, at date: Date) -> CachedObject?
  {
    section.write(synched: true) {
      let old = objects.updateValue(object, forKey: key)
      dates[key] = date
      let oldCost = costs.updateValue(cost, forKey: key)
      costOfAll += cost
      // As shipped the replaced object's cost stays in the sum.
      if repairs.contains(.exactTotals) { costOfAll -= oldCost ?? 0 }
      return old
    }
  }

  /// Stores an object only if there is none under the key.
  func insertIfAbsent(_ object: CachedObject, forKey key: String, at date: Date) -> Bool {
    section.write(synched: true) {
      guard objects[key] == nil else { return false }
      objects[key] = object
      dates[key] = date
      costs[key] = 0
      return true
    }
  }

  /// Removes an object, and returns it, so that the caller releases it.
  func remove(_ key: String) -> CachedObject? {
    section.write(synched: true) {
      let old = objects.removeValue(forKey: key)
      dates[key] = nil
      if let cost = costs.removeValue(forKey: key) { costOfAll -= cost }
      return old
    }
  }

  /// Removes everything, and returns the objects.
  func removeAll() -> [String: CachedObject] {
    section.write(synched: true) {
      let old = objects
      objects = [:]
      dates = [:]
      costs = [:]
      costOfAll = 0
      return old
    }
  }

  var count: Int { section.read(synched: true) { objects.count } }
  var totalCost: Int { section.read(synched: true) { costOfAll } }

  /// Every key that has a date, the oldest access first.
  var keysByDate: [String] {
    section.read(synched: true) { dates.sorted { $0.value < $1.value }.map(\.key) }
  }

  func keys(olderThan date: Date) -> [String] {
    section.read(synched: true) { dates.filter { $0.value < date }.map(\.key) }
  }

  var entries: [String: CacheEntry] {
    section.read(synched: true) {
      Dictionary(
        uniqueKeysWithValues: objects.map {
          ($0.key, CacheEntry(value: $0.value.bytes, cost: costs[$0.key] ?? 0))
        })
    }
  }

  /// The keys of each dictionary, for checks after all calls have ended.
  var indexes: [String: Set<String>] {
    section.read(synched: true) {
      ["objects": Set(objects.keys), "dates": Set(dates.keys), "costs": Set(costs.keys)]
    }
  }
}

/// The block and the age limit of a memory or disk cache.
///
/// `@unchecked Sendable`: the owner excludes other accesses during a write, which the section
/// checks.
final class TMSettings<Block: Sendable>: @unchecked Sendable {
  private let section: Section
  /// Whether a new age limit ends the previous chain of timers; as shipped all stay current.
  private let isReplacing: Bool
  private var blockNow: Block?
  private var ageLimitNow = 0.0
  private var chain = 0
  private var timers = 0

  init(_ name: StaticString, _ repairs: TMRepairs) {
    section = Section(name)
    isReplacing = repairs.contains(.oneAgeTimer)
  }

  var block: Block? {
    get { section.read(synched: true) { blockNow } }
    set { section.write(synched: true) { blockNow = newValue } }
  }

  var ageLimit: Double { section.read(synched: true) { ageLimitNow } }

  /// How many timers are running.
  var ageTimers: Int { section.read(synched: true) { timers } }

  func setAgeLimit(_ limit: Double) {
    section.write(synched: true) {
      ageLimitNow = limit
      if isReplacing { (chain, timers) = (chain + 1, 0) }
    }
  }

  /// Counts a timer; returns the limit and the timer's chain, or `nil` if there is no limit.
  func startTimer() -> (limit: Double, chain: Int)? {
    section.write(synched: true) {
      if ageLimitNow <= 0 { return nil }
      timers += 1
      return (ageLimitNow, chain)
    }
  }

  /// Whether the timer that has fired belongs to the current chain.
  func endTimer(of other: Int) -> Bool {
    section.write(synched: true) {
      if chain == other { timers -= 1 }
      return chain == other
    }
  }
}
