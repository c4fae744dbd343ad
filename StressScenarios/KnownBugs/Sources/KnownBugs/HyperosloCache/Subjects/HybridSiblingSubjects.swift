import InterlockStress
import LockStrategies

/// A `BasicHybridCache` as a subject.
final class BasicHybridSubject: Subject, @unchecked Sendable {
  /// Stores a value that has expired.
  static let setExpired = "set-expired"

  private let cache: BasicHybridCache
  private let lock = PthreadMutexLock()
  // Unchecked: only touched under `lock`.
  private var used: Set<String> = []

  init(_ cache: BasicHybridCache) {
    self.cache = cache
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return name == Self.setExpired
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    lock.withLock { _ = used.insert(operation.key) }
    guard case .action = operation.kind else { return cache.makeCall(operation, completion) }
    cache.add(operation.value, forKey: operation.key, expiry: .seconds(-1)) { completion(.done) }
  }

  /// The keys of the two storages; the cache has no call that lists its entries.
  func finalState() -> FinalState? {
    cache.settle()
    let keys = cache.keys(known: lock.withLock { used })
    var state = FinalState(count: 0, entries: [:])
    state.indexes = ["memory": keys.inMemory, "the disk": keys.onDisk]
    return state
  }
}

/// An `AwesomeCache` as a subject.
final class AwesomeSubject: Subject {
  enum Action: String, CaseIterable {
    /// Empties memory, as the system does when it has little left; first waits for writes under
    /// way.
    case forgetMemory = "forget-memory"
    /// Removes expired objects; completes when that is done.
    case removeExpired = "remove-expired"
  }

  private let cache: AwesomeCache

  init(_ cache: AwesomeCache) {
    self.cache = cache
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Action(rawValue: name) != nil
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard case .action(let name) = operation.kind else {
      return cache.makeCall(operation, completion)
    }
    switch Action(rawValue: name) {
    case .forgetMemory:
      cache.settle()
      cache.removeAllInMemory()
      completion(.done)
    case .removeExpired:
      cache.removeExpiredObjects { completion(.done) }
    case nil:
      preconditionFailure("it has no such call, and says so in `supports`")
    }
  }
}
