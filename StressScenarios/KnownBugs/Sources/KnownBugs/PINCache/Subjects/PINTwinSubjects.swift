import InterlockStress

/// Two disk caches of one name, which the original's documentation forbids; or, repaired, one
/// shared instance that both users get by its name.
final class PINTwoDisksSubject: Subject {
  static let actions = ["set-other", "remove-other"]

  private let scheduler = PINDispatchScheduler()
  private let first: PINDiskCache2
  private let second: PINDiskCache2

  init(isShared: Bool) {
    let root = pinTemporaryFolder()
    let instances = PINInstances<PINDiskCache2>()
    let scheduler = scheduler
    func open() -> PINDiskCache2 {
      var options = PINDiskOptions()
      options.changes = [.version2, .replacedBytesSubtracted]
      options.scheduler = scheduler
      options.start = { $0() }
      return PINDiskCache2(name: "subject", root: root, options: options)
    }
    first = isShared ? instances.instance(named: root, make: open) : open()
    second = isShared ? instances.instance(named: root, make: open) : open()
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    switch operation.kind {
    case .action("set-other"):
      second.setValue(operation.value, forKey: operation.key, cost: operation.cost)
    case .action("remove-other"):
      second.removeValue(forKey: operation.key)
    default:
      return first.perform(operation, completion: completion)
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    var state = first.finalState()
    let files = first.storedFiles()
    state.totals = [
      first.byteTotal("the byte count of the first instance", of: files),
      second.byteTotal("the byte count of the second instance", of: files),
    ]
    state.indexes = [
      "the metadata of the first instance": Set(first.knownSizes.keys),
      "the metadata of the second instance": Set(second.knownSizes.keys),
      "the directory": Set(files.keys),
    ]
    return state
  }
}

/// Two pairs over one directory, each with its own memory; or, repaired, one shared instance that
/// both users get by its name, and whose changes take turns: as shipped, two changes of one pair
/// may reach memory in one order and disk in the other.
final class PINTwoPairsSubject: Subject {
  static let actions = ["set-other", "get-other"]

  private let scheduler = PINDispatchScheduler()
  private let first: PINCache
  private let second: PINCache

  init(isShared: Bool) {
    let root = pinTemporaryFolder()
    let instances = PINInstances<PINCache>()
    let scheduler = scheduler
    let changes: PINChanges = isShared ? [.version3, .changesInTurn] : .version3
    func open() -> PINCache { pinPair(.three, changes, scheduler, root: root) }
    first = isShared ? instances.instance(named: root, make: open) : open()
    second = isShared ? instances.instance(named: root, make: open) : open()
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    switch operation.kind {
    case .action("set-other"):
      second.setValue(operation.value, forKey: operation.key, cost: operation.cost)
      completion(.done)
    case .action("get-other"):
      completion(.value(second.value(forKey: operation.key)))
    default:
      first.perform(operation, completion: completion)
    }
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    let files = first.disk.storedFiles()
    var state = FinalState(
      count: first.disk.count, entries: files.mapValues { Int($0.size) },
      values: files.mapValues(\.value))
    state.layers = [
      "the first pair's memory": first.memory.values,
      "the second pair's memory": second.memory.values,
      "the directory": files.mapValues(\.value),
    ]
    return state
  }
}
