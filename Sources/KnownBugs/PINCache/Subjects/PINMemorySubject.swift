import Caches
import InterlockStress
import StressRunner

/// A memory cache of PINCache as a subject.
final class PINMemorySubject: CacheBackedSubject {
  static let actions = ["announce", "append", "enumerate-and-get", "set-releasing", "trim-to-cost"]

  private let cache: PINMemoryCache
  var measuredCache: (any Caches.Cache)? { cache }
  private let scheduler: PINDispatchScheduler
  private let announced = PINAnnounced()

  init(_ version: PINVersion, changes: PINChanges) {
    let scheduler = PINDispatchScheduler()
    self.scheduler = scheduler
    cache = PINMemoryCache(version, changes: changes, scheduler: scheduler)
  }

  func supports(_ kind: StressRunner.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: StressRunner.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard case .action(let name) = operation.kind else {
      return cache.perform(operation, completion: completion)
    }
    let key = operation.key
    switch name {
    case "announce":
      announced.follow(cache)
    case "append":
      cache.object(forKey: key)?.append(operation.value)
    case "enumerate-and-get":
      cache.enumerateObjects { [cache] key, _ in cache.object(forKey: key) != nil }
    case "set-releasing":
      cache.setObject(PINReleased(operation.value, key: key, cache: cache), forKey: key)
    case "trim-to-cost":
      cache.trimToCost(UInt(bitPattern: operation.cost))
    default:
      preconditionFailure("a call that the subject does not list: \(name)")
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    let entries = cache.entries() ?? [:]
    var state = FinalState(
      count: cache.count, totalCost: cache.totalCost, entries: entries.mapValues(\.cost),
      values: entries.mapValues(\.value))
    state.indexes = ["the objects": Set(entries.keys), "the access dates": cache.accessedKeys]
    if let keys = announced.keys { state.indexes["the announced keys"] = keys }
    return state
  }
}

/// An object whose `deinit` removes a dependent key, as models with derived objects do.
///
/// `@unchecked Sendable`: as its superclass.
private final class PINReleased: PINObject, @unchecked Sendable {
  private let key: String
  private weak var cache: PINMemoryCache?

  init(_ bytes: [UInt8], key: String, cache: PINMemoryCache) {
    self.key = key
    self.cache = cache
    super.init(bytes)
  }

  deinit { cache?.removeObject(forKey: key + ", derived") }
}
