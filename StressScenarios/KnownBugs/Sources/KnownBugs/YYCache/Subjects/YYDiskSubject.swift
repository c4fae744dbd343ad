import Caches
import InterlockStress

/// YYCache's disk cache as a subject; a thread may open one for itself.
final class YYDiskSubject: ActionSubject {
  static let actions = [
    "open", "open-spelt-otherwise", "close", "remove-all-asking", "set-asking", "limit-count",
    "trim-to-limits", "deny-writes", "allow-writes", "log-nothing", "check-log",
  ]

  private let caches: OpenedByThreads<YYDiskCache>
  var cache: (any Caches.Cache)? { caches.current }

  /// The cache that `willArchive` calls before a value is archived; `nil` if it calls none.
  private let asked = Box<YYDiskCache?>(nil)
  private let errors = YYErrorLog()

  init(_ repairs: YYDiskRepairs) {
    var options = YYDiskCache.Options()
    options.repairs = repairs
    options.willArchive = { [asked] in _ = asked.value?.count }
    options.log = { [errors] in errors.append($0) }
    caches = OpenedByThreads { [options] in try YYDiskCache.open($0, options) }
  }

  func willPerform(_ call: Call) { errors.expectFailure() }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    switch name {
    case "open": caches.openForThread(oddlySpelt: false)
    case "open-spelt-otherwise": caches.openForThread(oddlySpelt: true)
    case "close": caches.closeForThread()
    case "set-asking":
      // An archive block that reads how many entries there are.
      asked.value = caches.current
      caches.current.store(call.value, forKey: call.key)
      asked.value = nil
    case "limit-count": caches.current.countLimit = call.cost
    case "trim-to-limits": caches.current.trimToLimits()
    case "deny-writes":
      caches.current.deniesWrites(true)
      errors.areExpected = true
    case "allow-writes":
      caches.current.deniesWrites(false)
      errors.areExpected = false
    case "log-nothing":
      caches.current.logsErrors = false
      errors.areExpected = false
    case "check-log":
      return completion(errors.check())
    default:
      // "remove-all-asking": a progress bar that reads how many entries are left.
      let cache = caches.current
      return cache.removeAllValues(
        progress: { _ = cache.count }, end: { completion(.done) })
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    let count = caches.count
    let cache = caches.current
    let fileNames = cache.fileNames
    var state = FinalState(of: cache)
    state.totals = [
      .init(
        "the size of the entries", claimed: cache.totalSize,
        counted: state.entries.values.reduce(0, +))
    ]
    state.indexes = ["the database": fileNames.inDatabase, "the folder": fileNames.inFolder]
    state.limits = [
      .init("caches open on one folder", value: count, limit: 1),
      .init("the number of the entries", value: cache.count, limit: cache.countLimit),
    ]
    return state
  }
}

/// YYCache's pair as a subject; a thread may open one for itself.
final class YYPairSubject: ActionSubject {
  static let actions = ["open", "close", "forget-memory"]

  private let pairs: OpenedByThreads<YYCache>
  var cache: (any Caches.Cache)? { pairs.current }

  init(_ repairs: YYDiskRepairs) {
    var options = YYDiskCache.Options()
    options.repairs = repairs
    pairs = OpenedByThreads { [options] in
      try YYCache.open($0, options, memoryRepairs: repairs.isEmpty ? [] : .all)
    }
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    switch name {
    case "open": pairs.openForThread(oddlySpelt: false)
    case "close": pairs.closeForThread()
    default: pairs.current.memory.didReceiveMemoryWarning()
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    let count = pairs.count
    let pair = pairs.current
    var state = FinalState(of: pair)
    let memory = pair.memory.entries() ?? [:]
    state.layers = ["memory": memory.mapValues(\.value), "disk": state.values]
    state.limits = [.init("pairs open on one folder", value: count, limit: 1)]
    return state
  }
}
