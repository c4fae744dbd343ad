import Caches
import Foundation
import InterlockStress

/// A memory cache of PINCache as a subject.
final class PINMemorySubject: CacheBackedSubject {
  static let actions = [
    "announce", "append", "enumerate-and-get", "set-releasing", "trim-to-cost", "trim-to-date",
    "trim-by-use", "trim-to-age", "keep-trimming-to-age", "stop-trimming-to-age", "limit-age",
    "grow-older", "get-expired",
  ]
  /// The age limit of `limit-age`, in seconds; `grow-older` lets six tenths of it pass.
  private static let ageLimit = 100.0

  private let cache: PINMemoryCache
  var measuredCache: (any Caches.Cache)? { cache }
  private let scheduler: PINDispatchScheduler
  private let announced = PINAnnounced()

  /// The date of the cache's clock.
  private let date: TMBox<Date>

  init(_ version: PINVersion, changes: PINChanges, isTTLCache: Bool = false) {
    let scheduler = PINDispatchScheduler()
    let date = TMBox(Date())
    self.scheduler = scheduler
    self.date = date
    cache = PINMemoryCache(
      version, changes: changes, scheduler: scheduler, isTTLCache: isTTLCache,
      clock: { isTTLCache ? date.value : Date() })
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
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
    case "trim-to-date":
      cache.trim(to: Date())
    case "trim-to-age":
      // A new limit trims at once. This one is shorter than any call, and lifted before a second
      // trim can find an object.
      cache.ageLimit = 1e-6
      cache.ageLimit = 0
    case "keep-trimming-to-age":
      cache.ageLimit = pinShortAgeLimit
    case "stop-trimming-to-age":
      cache.ageLimit = 0
    case "trim-by-use":
      cache.trimToCostByEvictionStrategy(UInt(bitPattern: operation.cost))
    case "limit-age":
      cache.locked { cache.ageLimitNow = Self.ageLimit }
    case "grow-older":
      date.value += 0.6 * Self.ageLimit
    case "get-expired":
      if cache.object(forKey: key) != nil {
        return completion(.failed("an object older than its age limit was found"))
      }
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
