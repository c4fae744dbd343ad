package import Caches
package import StressRunner
import Dispatch

/// The keys and values of a compared cache's calls, made before the clock runs.
package struct CacheData: Sendable {
  /// The names of the keys.
  package var keys: [String]
  /// A value for each key.
  package var values: [[UInt8]]

  /// Makes keys, each with a value whose first bytes differ from all others.
  package init(keys count: Int, valueBytes: Int) {
    keys = (0..<count).map { "key-\($0)" }
    values = (0..<count).map { key in
      (0..<valueBytes).map { UInt8(truncatingIfNeeded: $0 < 8 ? key >> ($0 * 8) : $0) }
    }
  }
}

/// A cache whose native form is synchronous, called directly.
package final class CacheWork: SynchronousWork {
  private let cache: any Caches.Cache
  private let data: CacheData

  /// Stores a value for every key, and then calls the cache.
  package init(_ cache: any Caches.Cache, _ data: CacheData) {
    self.cache = cache
    self.data = data
    for (key, value) in zip(data.keys, data.values) {
      cache.setValue(value, forKey: key, cost: value.count)
    }
  }

  /// Makes some calls.
  package func perform(_ calls: CallRing, _ range: Range<Int>) -> Tally {
    Self.perform(calls, range, on: cache, data)
  }

  /// Always 0: a cache may evict any value.
  package func lost(of writes: Int) -> Int { 0 }

  /// Generic over the cache's type, so that its witness table is looked up once and not for each
  /// call.
  private static func perform(
    _ calls: CallRing, _ range: Range<Int>, on cache: some Caches.Cache, _ data: CacheData
  ) -> Tally {
    var tally = Tally()
    for index in range {
      let call = calls[index]
      let key = data.keys[call.key]
      switch CacheCall(rawValue: call.kind) {
      case .get:
        if let found = cache.value(forKey: key), found.count != data.values[call.key].count {
          tally.broken &+= 1
        }
      case .set:
        let value = data.values[call.key]
        cache.setValue(value, forKey: key, cost: value.count)
        tally.writes &+= 1
      case .remove: cache.removeValue(forKey: key)
      case .removeAll: cache.removeAllValues()
      case .count: _ = cache.count
      case nil: preconditionFailure("a call that no cache has")
      }
    }
    return tally
  }
}

/// The calls of a cache that are compared; the raw value is `Call.kind`.
package enum CacheCall: Int, Sendable {
  /// Read a key.
  case get
  /// Store a value.
  case set
  /// Remove a key.
  case remove
  /// Remove every key.
  case removeAll
  /// Count the keys.
  case count

  /// The call of a workload's kind; `nil` for a subject's own.
  package init?(_ kind: Operation.Kind) {
    switch kind {
    case .get, .getAsync: self = .get
    case .set, .setAsync: self = .set
    case .remove, .removeAsync: self = .remove
    case .removeAll: self = .removeAll
    case .count: self = .count
    case .action: return nil
    }
  }

  /// The call as a subject's kind of operation.
  var kind: Operation.Kind {
    switch self {
    case .get: .get
    case .set: .set
    case .remove: .remove
    case .removeAll: .removeAll
    case .count: .count
    }
  }
}
