import Foundation
import Interlock

/// The memory layer: Tusker's `NSCache` of wrapped values, each with the date at which it expires.
///
/// A model instead of the real `NSCache`, because Foundation's on Linux evicts the newest of
/// entries of equal cost. Like `NSCache` it locks internally; it evicts the least recently used
/// entry first.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
final class ExpiringMemoryCache<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  /// A value in the list of recent use. The dictionary owns it and the links do not, so that
  /// freeing a long list does not recurse.
  private final class Entry {
    let key: Key
    let value: Value
    let cost: Int
    let deadline: Date?
    unowned(unsafe) var newer: Entry?
    unowned(unsafe) var older: Entry?

    init(_ key: Key, _ value: Value, _ cost: Int, _ deadline: Date?) {
      (self.key, self.value, self.cost, self.deadline) = (key, value, cost, deadline)
    }
  }

  private let lock = NSLock()
  private let section = Section("imagecache.memory")
  private let expiry: CacheExpiry
  private let countLimit: Int
  private let costLimit: Int
  private let now: CacheClock
  private var stored: [Key: Entry] = [:]
  private unowned(unsafe) var newest: Entry?
  private unowned(unsafe) var oldest: Entry?
  private var costOfAll = 0

  init(
    expiry: CacheExpiry, countLimit: Int = .max, costLimit: Int = .max, now: @escaping CacheClock
  ) {
    self.expiry = expiry
    self.countLimit = countLimit
    self.costLimit = costLimit
    self.now = now
  }

  /// The value under a key; an expired one is removed.
  func value(forKey key: Key) -> Value? {
    lock.lock()
    defer { lock.unlock() }
    return section.write(synched: true) {
      guard let entry = stored[key] else { return nil }
      if let deadline = entry.deadline, deadline <= now() {
        remove(entry)
        return nil
      }
      if newest !== entry {
        unlink(entry)
        link(entry)
      }
      return entry.value
    }
  }

  /// Whether there is a value that has not expired; does not count as a use.
  func contains(_ key: Key) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return section.read(synched: true) {
      guard let entry = stored[key] else { return false }
      return entry.deadline.map { $0 > now() } ?? true
    }
  }

  /// Stores a value, and evicts above the limits; a value that alone costs more than the limit is
  /// not kept. Evaluates the condition under the lock, and stores nothing if it is false.
  func setValue(
    _ value: Value, forKey key: Key, cost: Int, if condition: () -> Bool = { true }
  ) {
    let deadline = expiry.deadline(from: now())
    lock.lock()
    defer { lock.unlock() }
    guard condition() else { return }
    section.write(synched: true) {
      if let old = stored[key] { remove(old) }
      let entry = Entry(key, value, cost, deadline)
      stored[key] = entry
      costOfAll += cost
      link(entry)
      while stored.count > countLimit || costOfAll > costLimit, let oldest { remove(oldest) }
    }
  }

  func removeValue(forKey key: Key) {
    lock.lock()
    defer { lock.unlock() }
    section.write(synched: true) {
      if let entry = stored[key] { remove(entry) }
    }
  }

  func removeAllValues() {
    lock.lock()
    defer { lock.unlock() }
    section.write(synched: true) {
      (newest, oldest, costOfAll) = (nil, nil, 0)
      stored = [:]
    }
  }

  /// Every value and its cost, whether or not it has expired.
  func values() -> [Key: (value: Value, cost: Int)] {
    lock.lock()
    defer { lock.unlock() }
    return section.read(synched: true) { stored.mapValues { ($0.value, $0.cost) } }
  }

  /// What the values cost together.
  var totalCost: Int {
    lock.lock()
    defer { lock.unlock() }
    return section.read(synched: true) { costOfAll }
  }

  // MARK: The list; under the lock

  private func remove(_ entry: Entry) {
    unlink(entry)
    costOfAll -= entry.cost
    // Last: the dictionary owns the entry.
    stored[entry.key] = nil
  }

  private func link(_ entry: Entry) {
    entry.older = newest
    entry.newer = nil
    newest?.newer = entry
    newest = entry
    if oldest == nil { oldest = entry }
  }

  private func unlink(_ entry: Entry) {
    if let newer = entry.newer { newer.older = entry.older } else { newest = entry.older }
    if let older = entry.older { older.newer = entry.newer } else { oldest = entry.newer }
  }
}
