import InterlockStress

/// PINCache, memory before disk, as a subject.
final class PINPairSubject: Subject {
  static let actions = ["forget-memory"]

  private let cache: PINCache
  private let scheduler: PINDispatchScheduler

  init(_ version: PINVersion, changes: PINChanges) {
    let scheduler = PINDispatchScheduler()
    self.scheduler = scheduler
    cache = pinPair(version, changes, scheduler, root: pinTemporaryFolder())
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard operation.kind == .action("forget-memory") else {
      return cache.perform(operation, completion: completion)
    }
    cache.memory.removeAllObjects()
    completion(.done)
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    var state = cache.disk.finalState()
    state.layers = [
      "memory": cache.memory.values, "disk": cache.disk.storedFiles().mapValues(\.value),
    ]
    return state
  }
}

/// A pair whose directory exists from the beginning.
func pinPair(
  _ version: PINVersion, _ changes: PINChanges, _ scheduler: PINDispatchScheduler, root: String
) -> PINCache {
  var options = PINDiskOptions()
  options.changes = changes
  options.scheduler = scheduler
  options.start = { $0() }
  return PINCache(version, name: "subject", root: root, options: options)
}

extension PINMemoryCache {
  /// The bytes of every object.
  var values: [String: [UInt8]] { (entries() ?? [:]).mapValues(\.value) }
}
