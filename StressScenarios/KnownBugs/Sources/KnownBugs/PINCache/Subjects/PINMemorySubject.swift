import Caches
import Foundation
import InterlockStress

/// A memory cache of PINCache as a subject.
final class PINMemorySubject: ActionSubject, CacheBackedSubject {
  static let actions = [
    "announce", "append", "enumerate-and-get", "set-releasing", "trim-to-cost", "trim-to-date",
    "trim-by-use", "trim-to-age", "keep-trimming-to-age", "stop-trimming-to-age", "limit-age",
    "grow-older", "get-expired",
  ]
  /// The age limit of `limit-age`, in seconds; `grow-older` lets six tenths of it pass.
  private static let ageLimit = 100.0

  private let memory: PINMemoryCache
  var cache: (any Caches.Cache)? { memory }
  var measuredCache: (any Caches.Cache)? { memory }
  private let scheduler = PINScheduler()
  private let announced = PINAnnounced()
  /// The date of the cache's clock.
  private let date = Box(Date())

  init(_ version: PINVersion, changes: PINChanges, isTTLCache: Bool = false) {
    memory = PINMemoryCache(
      version, changes: changes, scheduler: scheduler, isTTLCache: isTTLCache,
      clock: { [date] in isTTLCache ? date.value : Date() })
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    let (key, cost, cache) = (call.key, UInt(bitPattern: call.cost), memory)
    switch name {
    case "announce": announced.follow(cache)
    case "append": cache.object(forKey: key)?.append(call.value)
    case "enumerate-and-get": cache.enumerateObjects { key in _ = cache.object(forKey: key) }
    case "set-releasing":
      // An object whose `deinit` removes a dependent key.
      let object = PINObject(call.value) { [weak cache] in
        cache?.removeObject(forKey: key + ", derived")
      }
      cache.setObject(object, forKey: key)
    case "trim-to-cost": cache.trimToCost(cost)
    case "trim-to-date": cache.trim(to: Date())
    case "trim-to-age":
      // A new limit trims at once. This one is shorter than any call, and lifted before a second
      // trim can find an object.
      cache.setAgeLimit(1e-6)
      cache.setAgeLimit(0)
    case "keep-trimming-to-age": cache.setAgeLimit(pinShortAgeLimit)
    case "stop-trimming-to-age": cache.setAgeLimit(0)
    case "trim-by-use": cache.trimToCostByDate(cost)
    case "limit-age": cache.locked { cache.ageLimitNow = Self.ageLimit }
    case "grow-older": date.value += 0.6 * Self.ageLimit
    case "get-expired":
      if cache.object(forKey: key) != nil {
        return completion(.failed("an object older than its age limit was found"))
      }
    default: refuse(name)
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    var state = FinalState(of: memory)
    state.indexes = [
      "the objects": Set(state.entries.keys), "the access dates": memory.accessedKeys,
    ]
    if let keys = announced.keys { state.indexes["the announced keys"] = keys }
    return state
  }
}
