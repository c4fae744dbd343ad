public import Caches
public import StressRunner

/// A subject over a cache whose native form is synchronous. `compare` calls the cache directly.
public protocol CacheBackedSubject: Subject {
  /// The cache; `nil` if it has been released.
  var measuredCache: (any Caches.Cache)? { get }
}

/// A subject over a cache whose native form is synchronous.
final class CacheSubject: CacheBackedSubject {
  private let cache: any Caches.Cache
  var measuredCache: (any Caches.Cache)? { cache }

  init(_ cache: any Caches.Cache) {
    self.cache = cache
  }

  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    cache.perform(operation, completion: completion)
  }

  func finalState() -> FinalState? {
    cache.entries().map {
      FinalState(count: cache.count, totalCost: cache.totalCost, entries: $0)
    }
  }
}

extension FinalState {
  /// Creates the state of a cache from its entries.
  init(count: Int, totalCost: Int?, entries: [String: CacheEntry]) {
    self.init(
      count: count, totalCost: totalCost, entries: entries.mapValues(\.cost),
      values: entries.mapValues(\.value))
  }
}
