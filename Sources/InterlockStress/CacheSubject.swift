import Caches
import StressRunner

/// A cache whose native form is synchronous, as a subject.
final class CacheSubject: Subject {
  private let cache: any Caches.Cache

  init(_ cache: any Caches.Cache) {
    self.cache = cache
  }

  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let key = operation.key
    switch operation.kind {
    case .get:
      completion(.value(cache.value(forKey: key)))
    case .set:
      cache.setValue(operation.value, forKey: key, cost: operation.cost)
      completion(.done)
    case .remove:
      cache.removeValue(forKey: key)
      completion(.done)
    case .removeAll:
      cache.removeAllValues()
      completion(.done)
    case .count:
      completion(.count(cache.count))
    case .getAsync:
      cache.value(forKey: key) { completion(.value($0)) }
    case .setAsync:
      cache.setValue(operation.value, forKey: key, cost: operation.cost) { completion(.done) }
    case .removeAsync:
      cache.removeValue(forKey: key) { completion(.done) }
    case .action:
      preconditionFailure("a cache has no calls of its own, and says so in `supports`")
    }
  }

  func finalState() -> FinalState? {
    cache.entries().map {
      FinalState(count: cache.count, totalCost: cache.totalCost, entries: $0)
    }
  }
}

extension FinalState {
  /// The state of a cache, by its entries.
  init(count: Int, totalCost: Int?, entries: [String: CacheEntry]) {
    self.init(
      count: count, totalCost: totalCost, entries: entries.mapValues(\.cost),
      values: entries.mapValues(\.value))
  }
}
