import Foundation
import Interlock
import InterlockStress

/// A cache that forgets its lock on the way that is taken most.
final class HastyCache: Cache, @unchecked Sendable {
  private let lock = NSLock()
  private let entries = Section("hasty.entries")
  private var stored: [String: [UInt8]] = [:]

  func value(forKey key: String) -> [UInt8]? {
    entries.read { stored[key] }  // no lock: reading is quick
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { entries.write(synched: true) { stored[key] = value } }
  }

  func removeValue(forKey key: String) {
    lock.withLock { entries.write(synched: true) { stored[key] = nil } }
  }

  func removeAllValues() {
    lock.withLock { entries.write(synched: true) { stored = [:] } }
  }

  var count: Int {
    lock.withLock { entries.read(synched: true) { stored.count } }
  }
}

/// The same with the lock on every way.
final class CarefulCache: Cache, @unchecked Sendable {
  private let lock = NSLock()
  private let entries = Section("careful.entries")
  private var stored: [String: [UInt8]] = [:]

  func value(forKey key: String) -> [UInt8]? {
    lock.withLock { entries.read(synched: true) { stored[key] } }
  }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    lock.withLock { entries.write(synched: true) { stored[key] = value } }
  }

  func removeValue(forKey key: String) {
    lock.withLock { entries.write(synched: true) { stored[key] = nil } }
  }

  func removeAllValues() {
    lock.withLock { entries.write(synched: true) { stored = [:] } }
  }

  var count: Int {
    lock.withLock { entries.read(synched: true) { stored.count } }
  }
}

@main
struct OwnCacheStress: StressCommand {
  static let subjects: [SubjectEntry] = [
    .cache("hasty", "a lock for writers only") { HastyCache() },
    .cache("careful", "a lock for readers and writers") { CarefulCache() },
  ]
}
