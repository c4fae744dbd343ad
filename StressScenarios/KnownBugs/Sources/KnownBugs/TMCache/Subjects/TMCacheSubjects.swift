import Caches
import Dispatch
import Foundation
import InterlockStress

/// TMCache's three caches, as shipped and repaired.
let tmcacheSubjects: [SubjectEntry] = [
  entry(
    "tmcache", "memory and disk changed side by side, sync methods wait for async ones",
    actions: TMPairActions.names, repairs: []
  ) { tmPair($0) },
  entry(
    "tmcache-repaired", "sync methods do the work, memory and disk change in one step",
    actions: TMPairActions.names, repairs: .all
  ) { tmPair($0) },
  entry(
    "tmcache-memory", "a concurrent queue as the lock, blocks called inside its barriers",
    actions: TMMemoryActions.names, repairs: [], isMemoryCache: true
  ) { tmMemory($0) },
  entry(
    "tmcache-memory-repaired", "a mutex, blocks called outside it",
    actions: TMMemoryActions.names, repairs: .all, isMemoryCache: true
  ) { tmMemory($0) },
  entry(
    "tmcache-disk", "one serial queue for every disk cache of the process, blocks called on it",
    actions: TMDiskActions.names, repairs: []
  ) { tmDisk($0) },
  entry(
    "tmcache-disk-repaired", "a mutex for each directory, blocks and archives outside it",
    actions: TMDiskActions.names, repairs: .all
  ) { tmDisk($0) },
]

private func entry(
  _ name: String, _ summary: String, actions: [String], repairs: TMRepairs,
  isMemoryCache: Bool = false,
  _ make: @escaping @Sendable (TMRepairs) -> any Subject
) -> SubjectEntry {
  SubjectEntry(
    name: name, summary: summary, family: "TMCache", actions: actions + [tmDropAction],
    runsUnlisted: false, isMemoryCache: isMemoryCache
  ) { make(repairs) }
}

/// The subject's own directory, in the folder for temporary files; removed with the subject, or
/// else with that folder at the end of the run.
final class TMRoot: Sendable {
  let url: URL

  init() {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/tmcache-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      preconditionFailure("no directory can be made in the folder for temporary files, \(folder)")
    }
    let path = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    url = URL(fileURLWithPath: String(decoding: path, as: UTF8.self), isDirectory: true)
  }

  deinit {
    let url = url
    // After the caches' remaining blocks, which would make it again. Several attempts, because
    // files that the trash queue deletes meanwhile interrupt a removal.
    TMDiskCache.sharedQueue.async {
      for _ in 0..<10 where FileManager.default.fileExists(atPath: url.path) {
        try? FileManager.default.removeItem(at: url)
      }
    }
  }
}

// MARK: The disk cache

private func tmDisk(_ repairs: TMRepairs) -> any Subject {
  let root = TMRoot()
  let make = { TMDiskCache(name: "trial", root: root.url, repairs: repairs) }
  return TMCacheSubject(make(), actions: TMDiskActions(another: make()).all, root: root) {
    diskState($0)
  }
}

/// An archiver whose objects call `reader`, once it is set, while they are decoded: as a model
/// whose `initWithCoder:` reads the objects that it refers to from the cache.
private func archiver(asking reader: TMBox<(@Sendable () -> Void)?>) -> TMArchiver {
  TMArchiver(decode: { bytes in
    reader.value?()
    return bytes
  })
}

private func diskState(_ cache: TMDiskCache) -> FinalState? {
  guard let entries = cache.entries() else { return nil }
  var state = FinalState(
    count: cache.count, entries: entries.mapValues(\.cost), values: entries.mapValues(\.value))
  state.totals = [
    .init(
      "the byte count of the disk", claimed: cache.byteCount,
      counted: entries.values.reduce(0) { $0 + $1.cost })
  ]
  state.indexes = cache.indexes()
  state.limits = [.init("age timers", value: cache.ageTimers, limit: 1)]
  return state
}

// MARK: The pair

private func tmPair(_ repairs: TMRepairs) -> any Subject {
  let root = TMRoot()
  let reader = TMBox<(@Sendable () -> Void)?>(nil)
  let make: @Sendable () -> TMCache = {
    TMCache(name: "trial", root: root.url, archiver: archiver(asking: reader), repairs: repairs)
  }
  let actions = TMPairActions(reader: reader, makeAnother: make)
  return TMCacheSubject(make(), actions: actions.all, root: root) { cache in
    reader.value = nil
    guard let memory = cache.memoryCache.entries(), let disk = diskState(cache.diskCache) else {
      return nil
    }
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

// MARK: The memory cache

private func tmMemory(_ repairs: TMRepairs) -> any Subject {
  TMCacheSubject(TMObjectCache(repairs: repairs), actions: TMMemoryActions().all) { cache in
    let objects = cache.memory.objects()
    var state = FinalState(
      count: cache.count, totalCost: cache.totalCost, entries: objects.mapValues(\.cost),
      values: objects.mapValues(\.object.bytes))
    state.indexes = cache.memory.indexes()
    state.limits = [.init("age timers", value: cache.memory.ageTimers, limit: 1)]
    return state
  }
}

/// An object as applications store them: its `deinit` may call a block.
final class TMObject: Sendable {
  let bytes: [UInt8]
  private let end: (@Sendable () -> Void)?

  init(_ bytes: [UInt8], end: (@Sendable () -> Void)? = nil) {
    self.bytes = bytes
    self.end = end
  }

  deinit { end?() }
}

/// TMMemoryCache of objects, called with bytes.
final class TMObjectCache: Caches.Cache {
  let memory: TMMemoryCache<TMObject>

  init(repairs: TMRepairs) { memory = TMMemoryCache(repairs: repairs) }

  func value(forKey key: String) -> [UInt8]? { memory.object(forKey: key)?.bytes }
  func setValue(_ value: [UInt8], forKey key: String, cost: Int) {
    memory.setObject(TMObject(value), forKey: key, cost: cost)
  }
  func removeValue(forKey key: String) { memory.removeObject(forKey: key) }
  func removeAllValues() { memory.removeAllObjects() }
  var count: Int { memory.count }
  var totalCost: Int? { memory.totalCost }

  func value(forKey key: String, completion: @escaping @Sendable ([UInt8]?) -> Void) {
    memory.object(forKey: key) { completion($0?.bytes) }
  }
  func setValue(
    _ value: [UInt8], forKey key: String, cost: Int, completion: @escaping @Sendable () -> Void
  ) {
    memory.setObject(TMObject(value), forKey: key, cost: cost, completion: completion)
  }
  func removeValue(forKey key: String, completion: @escaping @Sendable () -> Void) {
    memory.removeObject(forKey: key, completion: completion)
  }
}
