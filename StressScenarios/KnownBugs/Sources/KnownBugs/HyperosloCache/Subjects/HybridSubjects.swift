import Caches
import Foundation
import InterlockStress

/// hyperoslo's Cache in its versions, and AwesomeCache.
let hybridStorageSubjects: [SubjectEntry] = [
  hybridStorage("hybrid-storage", "a queue for sync calls, one for async (7.4.0)", .twoQueues),
  hybridStorage("hybrid-storage-one-queue", "all calls on one queue (before 4.0.0)", .oneQueue),
  hybridStorage("hybrid-storage-repaired", "a lock that is released before callbacks run", .lock),
  basicHybrid("hybrid-cache-1", "a queue to read on and a queue to write on (1.0.0)", false),
  basicHybrid("hybrid-cache-1-repaired", "hybrid-cache-1 that checks expired objects again", true),
  awesome("awesome-cache-1", "waits for its own serial queue to clean up (1.0)", .serialQueue),
  awesome("awesome-cache-66", "the same behind barriers (pull request 66)", .barrierQueue),
  awesome("awesome-cache-repaired", "cleans up without waiting for its queue (3.0)", .repaired),
]

private func hybridStorage(
  _ name: String, _ summary: String, _ locking: HybridLocking
) -> SubjectEntry {
  .model(name, summary, family: "hyperoslo Cache") {
    HybridStorageSubject(HybridStorageCache(directory: directory(), locking: locking))
  }
}

private func basicHybrid(_ name: String, _ summary: String, _ repaired: Bool) -> SubjectEntry {
  .model(name, summary, family: "hyperoslo Cache") {
    BasicHybridSubject(BasicHybridCache(directory: directory(), repaired: repaired))
  }
}

private func awesome(
  _ name: String, _ summary: String, _ version: AwesomeCache.Version
) -> SubjectEntry {
  .model(name, summary, family: "AwesomeCache") {
    AwesomeSubject(AwesomeCache(directory: directory(), version: version))
  }
}

private func directory() -> URL { URL(fileURLWithPath: folderOfTrial(), isDirectory: true) }

private final class HybridStorageSubject: ActionSubject {
  static let actions = [
    "cancel-observer", "observe", "observe-and-read", "read-in-completion", "remove-expired",
  ]

  private struct State {
    var observations: [(request: Int, token: HybridObservation)] = []
    var lastRequest = 0
    var events: [FinalState.Event] = []
  }

  private let hybrid: HybridStorageCache
  var cache: (any Caches.Cache)? { hybrid }
  private let state = Box(State())

  init(_ cache: HybridStorageCache) { hybrid = cache }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    let (key, cache) = (call.key, hybrid)
    switch name {
    // Stores by the asynchronous call, and reads by the synchronous one in its completion.
    case "read-in-completion":
      return cache.setValue(call.value, forKey: key, cost: 0) {
        completion(.value(cache.value(forKey: key)))
      }
    // Adds an observer that reads the key by the synchronous call. The cache retains the observer,
    // so the observer must not retain the cache.
    case "observe-and-read":
      cache.addStorageObserver { [weak cache] in _ = cache?.value(forKey: key) }
    case "observe": observe()
    case "cancel-observer": cancelOldest()
    // By the asynchronous call.
    case "remove-expired": return cache.removeExpiredObjects { completion(.done) }
    default: refuse(name)
    }
    completion(.done)
  }

  private func observe() {
    let request = state.change {
      $0.lastRequest += 1
      return $0.lastRequest
    }
    let token = hybrid.addStorageObserver { [weak self] in
      self?.note(.calledBack(request: request))
    }
    state.change { $0.observations.append((request, token)) }
  }

  private func cancelOldest() {
    let oldest = state.change {
      $0.observations.isEmpty ? nil : $0.observations.removeFirst()
    }
    guard let oldest else { return }
    oldest.token.cancel()
    note(.cancelled(request: oldest.request))
  }

  private func note(_ event: FinalState.Event) {
    state.change { $0.events.append(event) }
  }

  func finalState() -> FinalState? {
    var final = FinalState(of: hybrid)
    final.indexes = ["memory": hybrid.keys.inMemory, "the disk": hybrid.keys.onDisk]
    final.events = state.value.events
    return final
  }
}

private final class BasicHybridSubject: ActionSubject {
  static let actions = ["set-expired"]

  private let basic: BasicHybridCache
  var cache: (any Caches.Cache)? { basic }

  init(_ cache: BasicHybridCache) { basic = cache }

  /// Stores a value that has expired.
  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    basic.add(call.value, forKey: call.key, expiry: Date(timeIntervalSinceNow: -1)) {
      completion(.done)
    }
  }

  /// The keys of the two storages; the cache has no call that lists its entries.
  func finalState() -> FinalState? {
    basic.settle()
    var state = FinalState(count: 0, entries: [:])
    state.indexes = ["memory": basic.keys.inMemory, "the disk": basic.keys.onDisk]
    return state
  }
}

private final class AwesomeSubject: ActionSubject {
  static let actions = ["forget-memory", "remove-expired"]

  private let awesome: AwesomeCache
  var cache: (any Caches.Cache)? { awesome }

  init(_ cache: AwesomeCache) { awesome = cache }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    if name == "remove-expired" { return awesome.removeExpiredObjects { completion(.done) } }
    // First waits for writes under way.
    awesome.settle()
    awesome.removeAllInMemory()
    completion(.done)
  }

  func finalState() -> FinalState? { nil }
}
