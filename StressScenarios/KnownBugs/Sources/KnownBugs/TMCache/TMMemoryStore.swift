internal import Foundation
import Interlock

/// The state of TMMemoryCache: three dictionaries by key, and the sum of the costs.
///
/// It locks nothing; its sections check whether its owner does. `@unchecked Sendable`: the owner
/// excludes other accesses during a write.
final class TMMemoryStore<Object: Sendable>: @unchecked Sendable {
  private let section = Section("tmcache.memory")
  private let repairs: TMRepairs
  private var objects: [String: Object] = [:]
  private var dates: [String: Date] = [:]
  private var costs: [String: Int] = [:]
  private var costOfAll = 0

  init(repairs: TMRepairs) {
    self.repairs = repairs
  }

  func object(forKey key: String) -> Object? {
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
  func touchedObject(forKey key: String, at date: Date) -> Object? {
    section.write(synched: true) {
      guard let object = objects[key] else { return nil }
      dates[key] = date
      return object
    }
  }

  /// Stores an object, and returns the one that it replaces, so that the caller releases it.
  func insert(_ object: Object, forKey key: String, cost: Int, at date: Date) -> Object? {
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
  func insertIfAbsent(_ object: Object, forKey key: String, at date: Date) -> Bool {
    section.write(synched: true) {
      guard objects[key] == nil else { return false }
      objects[key] = object
      dates[key] = date
      costs[key] = 0
      return true
    }
  }

  /// Removes an object, and returns it, so that the caller releases it.
  func remove(_ key: String) -> Object? {
    section.write(synched: true) {
      let old = objects.removeValue(forKey: key)
      dates[key] = nil
      if let cost = costs.removeValue(forKey: key) { costOfAll -= cost }
      return old
    }
  }

  /// Removes everything, and returns the objects.
  func removeAll() -> [String: Object] {
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
    section.read(synched: true) { dates.sorted { ($0.value, $0.key) < ($1.value, $1.key) } }
      .map(\.key)
  }

  /// The keys last used before a date, the oldest first.
  func keys(olderThan date: Date) -> [String] {
    section.read(synched: true) {
      dates.filter { $0.value < date }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    }
    .map(\.key)
  }

  /// Every key, the costliest first.
  var keysByCost: [String] {
    section.read(synched: true) { costs.sorted { ($0.value, $0.key) > ($1.value, $1.key) } }
      .map(\.key)
  }

  /// Objects and costs, for checks after all calls have ended.
  var entries: [String: (object: Object, cost: Int)] {
    section.read(synched: true) {
      Dictionary(uniqueKeysWithValues: objects.map { ($0.key, ($0.value, costs[$0.key] ?? 0)) })
    }
  }

  /// The keys of each dictionary, for checks after all calls have ended.
  var indexes: [String: Set<String>] {
    section.read(synched: true) {
      ["objects": Set(objects.keys), "dates": Set(dates.keys), "costs": Set(costs.keys)]
    }
  }
}
