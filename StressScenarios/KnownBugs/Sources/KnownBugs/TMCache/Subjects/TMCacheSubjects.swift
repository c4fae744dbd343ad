import Caches
import Foundation
import InterlockStress

/// TMCache's three caches, as shipped and repaired.
let tmcacheSubjects: [SubjectEntry] =
  SubjectEntry.twins(
    "tmcache", family: "TMCache",
    asShipped: "memory and disk changed side by side, sync methods wait for async ones",
    repaired: "sync methods do the work, memory and disk change in one step"
  ) { TMPairSubject($0 ? .all : []) }
  + SubjectEntry.twins(
    "tmcache-memory", family: "TMCache", isMemoryCache: true,
    asShipped: "a concurrent queue as the lock, blocks called inside its barriers",
    repaired: "a mutex, blocks called outside it"
  ) { TMMemorySubject($0 ? .all : []) }
  + SubjectEntry.twins(
    "tmcache-disk", family: "TMCache",
    asShipped: "one serial queue for every disk cache of the process, blocks called on it",
    repaired: "a mutex for each directory, blocks and archives outside it"
  ) { TMDiskSubject($0 ? .all : []) }

/// A subject that can release its cache, as an application does; later calls complete without a
/// cache. An installed block stays, so its action precedes the call that it affects.
protocol TMSubject: ActionSubject, CacheBackedSubject {
  associatedtype Subjected: Caches.Cache

  var held: Box<Subjected?> { get }

  /// Makes one of its own calls but `drop`. It never completes if the cache never calls back.
  func act(
    _ name: String, on cache: Subjected, _ call: Call, _ completion: @escaping Completion)
  func state(of cache: Subjected) -> FinalState?
}

extension TMSubject {
  var cache: (any Caches.Cache)? { held.value }
  var measuredCache: (any Caches.Cache)? { held.value }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    if name == "drop" { held.value = nil }
    guard let cache = held.value else { return completion(.done) }
    act(name, on: cache, call, completion)
  }

  func finalState() -> FinalState? { held.value.flatMap(state) }
}

/// An age limit longer than any trial.
private let longAge = 600.0

/// The subject's own directory, in the folder for temporary files; removed with the subject, or
/// else with that folder at the end of the run.
final class TMRoot: Sendable {
  let path = folderOfTrial()

  deinit {
    let path = path
    // After the caches' remaining blocks, which would make it again. Several attempts, because
    // files that the trash queue deletes meanwhile interrupt a removal.
    TMDiskCache.sharedQueue.async {
      for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }
}

// MARK: The memory cache

private final class TMMemorySubject: TMSubject {
  static let actions = [
    "ask-in-will-add", "drop", "enumerate-reading", "read-in-will-add", "set-age-limit",
    "set-in-completion", "set-removing-at-end",
  ]

  let held: Box<TMMemoryCache?>

  init(_ repairs: TMRepairs) { held = Box(TMMemoryCache(repairs: repairs)) }

  func act(
    _ name: String, on cache: TMMemoryCache, _ call: Call, _ completion: @escaping Completion
  ) {
    let (key, value, cost) = (call.key, call.value, call.cost)
    switch name {
    // A block that reads by the synchronous form; it runs inside the barrier as shipped.
    case "read-in-will-add": cache.setWillAddObject { cache, key in _ = cache.object(forKey: key) }
    // A block that reads the total cost: `dispatch_sync` inside the barrier as shipped.
    case "ask-in-will-add": cache.setWillAddObject { cache, _ in _ = cache.totalCost }
    // Reads, and stores in the callback.
    case "set-in-completion":
      return cache.object(forKey: key) { _ in
        cache.setValue(value, forKey: key, cost: cost)
        completion(.done)
      }
    // Reads every object while enumerating.
    case "enumerate-reading": cache.enumerateObjects { key in _ = cache.object(forKey: key) }
    // Stores an object whose `deinit` removes another from the cache.
    case "set-removing-at-end":
      let object = CachedObject(value) { [weak cache] in cache?.removeValue(forKey: "other") }
      cache.setObject(object, forKey: key, cost: cost)
    case "set-age-limit": cache.setAgeLimit(longAge)
    default: refuse(name)
    }
    completion(.done)
  }

  func state(of cache: TMMemoryCache) -> FinalState? {
    var state = FinalState(of: cache)
    state.indexes = cache.indexes
    state.limits = [.init("age timers", value: cache.ageTimers, limit: 1)]
    return state
  }
}

// MARK: The disk cache

private final class TMDiskSubject: TMSubject {
  static let actions = [
    "ask-in-will-add", "damage", "drop", "enumerate-reading", "get-in-completion", "lose-trash",
    "read-in-will-add", "remove-in-another", "set-age-limit", "set-in-another",
  ]

  private let root = TMRoot()
  let held: Box<TMDiskCache?>
  /// A second cache of the same name.
  private let another: TMDiskCache

  init(_ repairs: TMRepairs) {
    held = Box(TMDiskCache(name: "trial", root: root.path, repairs: repairs))
    another = TMDiskCache(name: "trial", root: root.path, repairs: repairs)
  }

  func act(
    _ name: String, on cache: TMDiskCache, _ call: Call, _ completion: @escaping Completion
  ) {
    let (key, value) = (call.key, call.value)
    switch name {
    // A block that reads by the synchronous form; it runs on the shared queue as shipped.
    case "read-in-will-add": cache.setWillAddObject { cache, key in _ = cache.value(forKey: key) }
    // A block that calls a getter: `dispatch_sync` on the shared queue as shipped.
    case "ask-in-will-add": cache.setWillAddObject { cache, _ in _ = cache.ageLimit }
    // Stores, and reads the key in the completion.
    case "get-in-completion":
      return cache.setObject(value, forKey: key) { completion(.value(cache.value(forKey: key))) }
    // Reads every object while enumerating.
    case "enumerate-reading": cache.enumerateObjects { key in _ = cache.value(forKey: key) }
    case "set-in-another": another.setValue(value, forKey: key)
    case "remove-in-another": another.removeValue(forKey: key)
    // Removes the trash, as a system short of space removes files in the folder for temporary ones.
    case "lose-trash": try? FileManager.default.removeItem(atPath: cache.trash)
    // Damages a file, as a crash or a bad sector does.
    case "damage":
      if let file = cache.file(ofKey: key) { _ = cache.folder.write([1, 2, 3], to: file) }
    case "set-age-limit": cache.setAgeLimit(longAge)
    default: refuse(name)
    }
    completion(.done)
  }

  func state(of cache: TMDiskCache) -> FinalState? { diskState(cache) }
}

private func diskState(_ cache: TMDiskCache) -> FinalState {
  var state = FinalState(of: cache)
  state.totals = [
    .init(
      "the byte count of the disk", claimed: cache.byteCount,
      counted: state.entries.values.reduce(0, +))
  ]
  state.indexes = cache.indexes
  state.limits = [.init("age timers", value: cache.ageTimers, limit: 1)]
  return state
}

// MARK: The pair

private final class TMPairSubject: TMSubject {
  static let actions = [
    "decode-reading", "drop", "forget-memory", "get-without-key", "set-in-another",
    "wait-without-key",
  ]

  private let root = TMRoot()
  let held: Box<TMCache?>
  /// A block that objects call while they are decoded, as a model whose `initWithCoder:` reads the
  /// objects that it refers to from the cache.
  private let reader = Box<(@Sendable () -> Void)?>(nil)
  private let repairs: TMRepairs

  init(_ repairs: TMRepairs) {
    self.repairs = repairs
    held = Box(nil)
    held.value = open()
  }

  private func open() -> TMCache {
    TMCache(name: "trial", root: root.path, repairs: repairs) { [reader] in reader.value?() }
  }

  func act(
    _ name: String, on cache: TMCache, _ call: Call, _ completion: @escaping Completion
  ) {
    switch name {
    case "forget-memory": cache.memory.removeAllValues()
    // From now on an object that is decoded reads another from the cache.
    case "decode-reading":
      reader.value = { [weak cache, reader] in
        // Only once: the object that is read refers to no further object.
        reader.value = nil
        _ = cache?.value(forKey: "other")
      }
    case "get-without-key": return cache.object(forKey: nil) { completion(.value($0)) }
    // As in the example of pull request 78: waits for the callback of a call without a key.
    case "wait-without-key":
      let called = DispatchSemaphore(value: 0)
      cache.object(forKey: nil) { _ in called.signal() }
      called.wait()
    // Through a second pair, opened for this call.
    case "set-in-another": open().setValue(call.value, forKey: call.key, cost: call.cost)
    default: refuse(name)
    }
    completion(.done)
  }

  func state(of cache: TMCache) -> FinalState? {
    reader.value = nil
    let memory = cache.memory.entries() ?? [:]
    let disk = diskState(cache.disk)
    var state = disk
    // For each key memory takes precedence over the disk, and only memory keeps costs.
    state.entries = disk.entries.mapValues { _ in 0 }.merging(memory.mapValues(\.cost)) { $1 }
    state.values.merge(memory.mapValues(\.value)) { $1 }
    state.count = cache.count
    state.totalCost = cache.totalCost
    state.layers = ["memory": memory.mapValues(\.value), "disk": disk.values]
    return state
  }
}
