import Caches
import InterlockStress

final class PINPairSubject: ActionSubject {
  static let actions = ["forget-memory"]

  private let pair: PINCache
  var cache: (any Caches.Cache)? { pair }
  private let scheduler = PINScheduler()

  init(_ version: PINVersion, changes: PINChanges) {
    pair = pinPair(version, changes, scheduler, root: folderOfTrial())
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    pair.memory.removeAllObjects()
    completion(.done)
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    var state = pair.disk.finalState()
    state.layers = [
      "memory": pair.memory.values, "disk": pair.disk.storedFiles().mapValues(\.value),
    ]
    return state
  }
}

/// Two pairs over one directory, each with its own memory; or, repaired, one shared instance that
/// both users get by its name, and whose changes take turns: as shipped, two changes of one pair
/// may reach memory in one order and disk in the other.
final class PINTwoPairsSubject: ActionSubject {
  static let actions = ["set-other", "get-other"]

  private let scheduler = PINScheduler()
  private let first: PINCache
  private let second: PINCache
  var cache: (any Caches.Cache)? { first }

  init(isShared: Bool) {
    let root = folderOfTrial()
    let instances = WeakInstances<PINCache>()
    let scheduler = scheduler
    let changes: PINChanges = isShared ? [.version3, .changesInTurn] : .version3
    func open() -> PINCache { pinPair(.three, changes, scheduler, root: root) }
    first = isShared ? instances.instance(for: root, orMake: open) : open()
    second = isShared ? instances.instance(for: root, orMake: open) : open()
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    switch name {
    case "set-other":
      second.setValue(call.value, forKey: call.key, cost: call.cost)
      completion(.done)
    default: completion(.value(second.value(forKey: call.key)))
    }
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    let files = first.disk.storedFiles()
    var state = FinalState(
      count: first.disk.count, entries: files.mapValues(\.size), values: files.mapValues(\.value))
    state.layers = [
      "the first pair's memory": first.memory.values,
      "the second pair's memory": second.memory.values,
      "the directory": files.mapValues(\.value),
    ]
    return state
  }
}

/// A pair whose directory exists from the beginning.
private func pinPair(
  _ version: PINVersion, _ changes: PINChanges, _ scheduler: PINScheduler, root: String
) -> PINCache {
  var options = PINDiskOptions()
  options.changes = changes
  options.scheduler = scheduler
  options.start = { $0() }
  return PINCache(version, name: "subject", root: root, options: options)
}

extension PINMemoryCache {
  /// The bytes of every object.
  fileprivate var values: [String: [UInt8]] { (entries() ?? [:]).mapValues(\.value) }
}
