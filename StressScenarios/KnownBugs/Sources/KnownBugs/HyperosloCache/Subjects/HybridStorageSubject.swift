import InterlockStress
import LockStrategies

/// A `HybridStorageCache` as a subject: the calls of every cache, and those that its faults need.
final class HybridStorageSubject: Subject, @unchecked Sendable {
  enum Action: String, CaseIterable {
    /// Stores by the asynchronous call, and reads by the synchronous one in its completion.
    case readInCompletion = "read-in-completion"
    /// Adds an observer that reads the key by the synchronous call.
    case observeAndRead = "observe-and-read"
    /// Adds an observer.
    case observe
    /// Ends the oldest observation.
    case cancelObserver = "cancel-observer"
    /// Removes expired objects by the asynchronous call.
    case removeExpired = "remove-expired"
  }

  private let cache: HybridStorageCache<[UInt8]>
  private let lock = PthreadMutexLock()
  // Unchecked: all below is only touched under `lock`.
  private var observations: [(request: Int, token: HybridObservation)] = []
  private var used: Set<String> = []
  private var lastRequest = 0
  private var events: [FinalState.Event] = []

  init(_ cache: HybridStorageCache<[UInt8]>) {
    self.cache = cache
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Action(rawValue: name) != nil
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    lock.withLock { _ = used.insert(operation.key) }
    if case .action(let name) = operation.kind {
      perform(Action(rawValue: name), operation, completion)
    } else {
      cache.makeCall(operation, completion)
    }
  }

  private func perform(
    _ action: Action?, _ operation: InterlockStress.Operation,
    _ completion: @escaping @Sendable (Reply) -> Void
  ) {
    let (key, cache) = (operation.key, cache)
    switch action {
    case .readInCompletion:
      cache.setValue(operation.value, forKey: key, cost: 0) {
        completion(.value(cache.value(forKey: key)))
      }
    case .observeAndRead:
      // The cache retains the observer, so the observer must not retain the cache.
      cache.addStorageObserver { [weak cache] _ in _ = cache?.value(forKey: key) }
      completion(.done)
    case .observe:
      observe()
      completion(.done)
    case .cancelObserver:
      cancelOldest()
      completion(.done)
    case .removeExpired:
      cache.removeExpiredObjects { _ in completion(.done) }
    case nil:
      preconditionFailure("it has no such call, and says so in `supports`")
    }
  }

  private func observe() {
    let request = lock.withLock {
      lastRequest += 1
      return lastRequest
    }
    let token = cache.addStorageObserver { [weak self] _ in
      self?.note(.calledBack(request: request))
    }
    lock.withLock { observations.append((request, token)) }
  }

  private func cancelOldest() {
    let oldest = lock.withLock { observations.isEmpty ? nil : observations.removeFirst() }
    guard let oldest else { return }
    oldest.token.cancel()
    note(.cancelled(request: oldest.request))
  }

  private func note(_ event: FinalState.Event) {
    lock.withLock { events.append(event) }
  }

  func finalState() -> FinalState? {
    let (used, events) = lock.withLock { (self.used, self.events) }
    let keys = cache.keys(known: used)
    var state = FinalState(of: cache)
    state.indexes = ["memory": keys.inMemory, "the disk": keys.onDisk]
    state.events = events
    return state
  }
}

extension Cache {
  /// Makes one of the calls that every cache has.
  func makeCall(
    _ operation: InterlockStress.Operation, _ completion: @escaping @Sendable (Reply) -> Void
  ) {
    let key = operation.key
    switch operation.kind {
    case .get: completion(.value(value(forKey: key)))
    case .set:
      setValue(operation.value, forKey: key, cost: operation.cost)
      completion(.done)
    case .remove:
      removeValue(forKey: key)
      completion(.done)
    case .removeAll:
      removeAllValues()
      completion(.done)
    case .count: completion(.count(count))
    case .getAsync: value(forKey: key) { completion(.value($0)) }
    case .setAsync:
      setValue(operation.value, forKey: key, cost: operation.cost) { completion(.done) }
    case .removeAsync: removeValue(forKey: key) { completion(.done) }
    case .action: preconditionFailure("a cache has no calls of its own")
    }
  }
}

extension FinalState {
  /// The state that a cache reports after all operations have ended.
  init(of cache: some Cache) {
    let entries = cache.entries() ?? [:]
    self.init(
      count: cache.count, totalCost: cache.totalCost, entries: entries.mapValues(\.cost),
      values: entries.mapValues(\.value))
  }
}
