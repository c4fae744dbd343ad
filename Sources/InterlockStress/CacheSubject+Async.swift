import Caches
import StressRunner

/// A subject over a cache whose native form is `async`.
///
/// A task awaits the cache directly. Any other call starts a task, which completes the call, even
/// for kinds that are synchronous for other subjects: blocking until the task ends would be the
/// very error that starves a pool.
final class AsyncCacheSubject: Subject {
  private let cache: any Caches.AsyncCache

  init(_ cache: any Caches.AsyncCache) {
    self.cache = cache
  }

  func perform(_ operation: StressRunner.Operation) async -> Reply {
    let key = operation.key
    switch operation.kind {
    case .get, .getAsync:
      return .value(await cache.value(forKey: key))
    case .set, .setAsync:
      await cache.setValue(operation.value, forKey: key, cost: operation.cost)
      return .done
    case .remove, .removeAsync:
      await cache.removeValue(forKey: key)
      return .done
    case .removeAll:
      await cache.removeAllValues()
      return .done
    case .count:
      return .count(await cache.count)
    case .action:
      preconditionFailure("a cache has no calls of its own, and says so in `supports`")
    }
  }

  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    Task { completion(await perform(operation)) }
  }

  /// Blocks until a task has ended. Called on a thread outside all pools, when no call is in
  /// progress.
  func finalState() -> FinalState? {
    let answer = HandOver<FinalState?>()
    Task {
      guard let entries = await cache.entries() else { return answer.give(nil) }
      answer.give(
        FinalState(count: await cache.count, totalCost: await cache.totalCost, entries: entries))
    }
    return answer.take()
  }
}
