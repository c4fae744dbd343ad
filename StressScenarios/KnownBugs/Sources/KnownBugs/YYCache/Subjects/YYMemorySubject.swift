import Caches
import InterlockStress
import Synchronization

final class YYMemorySubject: ActionSubject, CacheBackedSubject {
  static let actions = [
    "set-asking-at-end", "trim-to-cost", "trim-to-limits", "limit-cost", "limit-count",
    "release-here", "warn", "follow-warnings", "unfollow-warnings", "enter-background",
    "follow-background", "unfollow-background", "keep-in-background", "check-background-calls",
    "check-removed",
  ]

  private let memory: YYMemoryCache
  /// How often the block for the background was called. Relaxed: it only counts.
  private let backgroundCalls = Atomic(0)
  var cache: (any Caches.Cache)? { memory }
  var measuredCache: (any Caches.Cache)? { memory }

  init(_ repairs: YYMemoryRepairs) {
    memory = YYMemoryCache(repairs: repairs)
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    switch name {
    case "set-asking-at-end":
      // An object whose `deinit` calls the cache.
      let memory = memory
      memory.setObject(
        CachedObject([]) { [weak memory] in _ = memory?.count }, forKey: call.key,
        cost: call.cost)
    case "trim-to-cost": memory.trim(toCost: call.cost)
    case "limit-cost": memory.costLimit = call.cost
    case "limit-count": memory.countLimit = call.cost
    case "trim-to-limits": memory.trimToLimits()
    case "warn": memory.didReceiveMemoryWarning()
    case "follow-warnings":
      // A block that calls the cache, as one that writes a statistic.
      memory.didReceiveMemoryWarningBlock = { _ = $0.count }
    case "unfollow-warnings": memory.didReceiveMemoryWarningBlock = nil
    case "release-here":
      // Removed objects are released on the thread that removes them.
      memory.releasesAsynchronously = false
    default:
      return completion(actForBackground(name, call))
    }
    completion(.done)
  }

  private func actForBackground(_ name: String, _ call: Call) -> Reply {
    switch name {
    case "enter-background": memory.didEnterBackground()
    case "follow-background":
      // A block that calls the cache, as a block that saves the contents would.
      memory.didEnterBackgroundBlock = { [weak self] in
        _ = $0.count
        self?.backgroundCalls.add(1, ordering: .relaxed)
      }
    case "unfollow-background": memory.didEnterBackgroundBlock = nil
    case "keep-in-background": memory.removesAllInBackground = false
    case "check-background-calls":
      // The cost of the call is the number of times that the block must have been called.
      let calls = backgroundCalls.load(ordering: .relaxed)
      if calls != call.cost {
        return .failed("the block for the background was called \(calls) times")
      }
    default:
      // "check-removed"
      if memory.containsObject(forKey: call.key) {
        return .failed("\(call.key) is still there")
      }
    }
    return .done
  }

  func finalState() -> FinalState? {
    memory.waitForTrims()
    var state = FinalState(of: memory)
    state.values = state.values.filter { !$0.value.isEmpty }
    state.indexes = [
      "the dictionary": Set(state.entries.keys), "the list": Set(memory.keysInOrder),
    ]
    state.limits = [
      .init("trims asked for at one time", value: memory.mostTrimsAtOnce, limit: 2),
      .init("cost of the entries", value: memory.totalCost ?? 0, limit: memory.costLimit),
      .init("the number of the entries", value: memory.count, limit: memory.countLimit),
    ]
    return state
  }
}

final class YYDictionarySubject: ActionSubject {
  static let actions = ["count-while-enumerating"]

  private let dictionary: YYThreadSafeDictionary
  var cache: (any Caches.Cache)? { dictionary }

  init(_ repaired: Bool) {
    dictionary = YYThreadSafeDictionary(repaired: repaired)
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    var count = 0
    dictionary.forEach { _, _ in
      count = dictionary.count
      return true
    }
    completion(.count(count))
  }

  func finalState() -> FinalState? { FinalState(of: dictionary) }
}
