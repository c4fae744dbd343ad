import Caches
import Dispatch
import Interlock

/// YYKit's dictionary under a semaphore of 1, which its users use as a cache
/// (YYThreadSafeDictionary.m).
///
/// As shipped, `forEach` calls its block under the semaphore: a block that calls the dictionary
/// deadlocks (YYKit issue 502). Repaired, `forEach` iterates over a copy.
///
/// `@unchecked Sendable`: the dictionary is only touched under the semaphore, which the sections
/// check.
final class YYThreadSafeDictionary: Cache, @unchecked Sendable {
  private let repaired: Bool
  private let semaphore = DispatchSemaphore(value: 1)
  private let section = Section("yydictionary")
  private var values: [String: [UInt8]] = [:]

  init(repaired: Bool = false) {
    self.repaired = repaired
  }

  /// Calls a block with each key and its value, in no order, until it returns false.
  func forEach(_ body: (_ key: String, _ value: [UInt8]) -> Bool) {
    func visit(_ values: [String: [UInt8]]) {
      for (key, value) in values where !body(key, value) { return }
    }
    if repaired {
      visit(read { $0 })
    } else {
      read(visit)
    }
  }

  private func read<R>(_ body: ([String: [UInt8]]) -> R) -> R {
    semaphore.wait()
    defer { semaphore.signal() }
    return section.read(synched: true) { body(values) }
  }

  private func write(_ body: (inout [String: [UInt8]]) -> Void) {
    semaphore.wait()
    defer { semaphore.signal() }
    section.write(synched: true) { body(&values) }
  }

  func value(forKey key: String) -> [UInt8]? { read { $0[key] } }

  func setValue(_ value: [UInt8], forKey key: String, cost: Int) { write { $0[key] = value } }

  func removeValue(forKey key: String) { write { $0[key] = nil } }

  func removeAllValues() { write { $0.removeAll() } }

  var count: Int { read { $0.count } }

  func entries() -> [String: CacheEntry]? {
    read { $0.mapValues { CacheEntry(value: $0, cost: $0.count) } }
  }
}
