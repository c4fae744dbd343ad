import InterlockStress
import Caches
import Foundation
import Synchronization

/// Tusker's image cache as a subject.
///
/// `get` reads the store; `get-async` is `ImageCache.get`, and completes in its callback, if that is
/// called.
///
/// `@unchecked Sendable`: all mutable state is under `lock`.
final class ImageCacheSubject: Subject, @unchecked Sendable {
  /// What the cache downloads from.
  enum Origin {
    /// Downloads wait until an action delivers them.
    case gated(GatedImageSource)
    /// Downloads end by themselves, with what `set` published.
    case published(ImageOrigin)
  }

  /// The subject's own calls, where downloads wait.
  static let actions = [
    "request", "cancel", "prefetch", "cancel-prefetch", "deliver", "has", "forget-memory", "scan",
    "check-look-ups", "check-cached", "use-long-keys", "check-file-names",
  ]

  private let origin: Origin
  private let cache: ImageCache
  private let lock = NSLock()
  /// The requests that `request` made, the newest of a key last; `nil` for one that the store
  /// answered.
  private var requests: [String: [(number: Int, request: ImageRequest?)]] = [:]
  private var requestCount = 0
  private var events: [FinalState.Event] = []
  private var cancelledByOthers = 0
  /// The keys of the workload, each with its key in the cache.
  private var keys: [String: String] = [:]
  /// Whether the keys in the cache are those of `LongImageKey`. Relaxed: set before other calls.
  private let usesLongKeys = Atomic(false)

  init(repaired: Bool, index: ImageDiskCache.Index?, origin: Origin) {
    self.origin = origin
    let source: any ImageSource =
      switch origin {
      case .gated(let source): source
      case .published(let source): source
      }
    do {
      let disk = try index.map {
        try ImageDiskCache(directory: Self.makeFolder(), index: $0, repaired: repaired)
      }
      cache = ImageCache(
        store: ImageStore(disk: disk, repaired: repaired), source: source, repaired: repaired)
    } catch {
      fatalError("there is no folder for the cache's files: \(error)")
    }
  }

  /// A new folder in the one for temporary files, which is removed at the end of the run.
  private static func makeFolder() throws -> URL {
    let name = "images-\(UUID().uuidString)"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    switch (kind, origin) {
    case (.setAsync, _), (.removeAsync, _): false
    // The timing of its downloads cannot be controlled, so it has no actions.
    case (.action(let name), .gated): Self.actions.contains(name)
    case (.action, .published): false
    default: true
    }
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let key = keyInCache(operation.key)
    switch operation.kind {
    case .get:
      completion(.value(cache.store.value(forKey: key)))
    case .getAsync:
      note(operation.key)
      cache.get(key) { [self] answer in
        if answer == .failure(.cancelled) { lock.withLock { cancelledByOthers += 1 } }
        completion(.value(try? answer.get()))
      }
    case .set:
      note(operation.key)
      store(operation, key)
      completion(.done)
    case .remove:
      cache.store.removeValue(forKey: key)
      completion(.done)
    case .removeAll:
      cache.store.removeAllValues()
      completion(.done)
    case .count:
      completion(.count(cache.store.count))
    case .action(let name):
      note(operation.key)
      act(name, operation, key, completion)
    case .setAsync, .removeAsync:
      preconditionFailure("these forms are not supported, and `supports` says so")
    }
  }

  /// The key in the cache for a key of the workload.
  private func keyInCache(_ key: String) -> String {
    usesLongKeys.load(ordering: .relaxed) ? LongImageKey(key).text : key
  }

  private func note(_ key: String) { lock.withLock { keys[key] = keyInCache(key) } }

  /// Stores a value in the store, or publishes it at the origin, from which the cache loads it.
  private func store(_ operation: InterlockStress.Operation, _ key: String) {
    switch origin {
    case .gated: cache.store.setValue(operation.value, forKey: key, cost: operation.cost)
    case .published(let origin): origin.publish(operation.value, under: key)
    }
  }

  // MARK: The subject's own calls

  private func act(
    _ name: String, _ operation: InterlockStress.Operation, _ key: String,
    _ completion: @escaping @Sendable (Reply) -> Void
  ) {
    switch (name, origin) {
    case ("request", _): request(key)
    case ("cancel", _): cancel(key)
    case ("prefetch", _): cache.fetchIfNotCached(key)
    case ("cancel-prefetch", _): cache.cancelWithoutCallback(key)
    case ("deliver", .gated(let source)):
      source.deliver(.success(operation.value), for: key)
    case ("has", _): _ = cache.store.disk?.has(key)
    case ("forget-memory", _): cache.store.forgetMemory()
    case ("scan", _):
      cache.store.disk?.scan { completion(.done) }
      return
    case ("check-look-ups", _):
      // The cost is how many there may be.
      let count = cache.store.disk?.lookUpCount ?? 0
      if count > operation.cost {
        return completion(.failed("the file system was asked for a file \(count) times"))
      }
    case ("check-cached", _):
      if !cache.store.has(key) { return completion(.failed("there is no image")) }
    case ("use-long-keys", _):
      usesLongKeys.store(true, ordering: .relaxed)
      lock.withLock { keys = [:] }
    case ("check-file-names", _):
      return completion(checkFileNames())
    default: preconditionFailure("no action '\(name)' is listed")
    }
    completion(.done)
  }

  /// Makes a request that can be cancelled; its callback is recorded as an event.
  private func request(_ key: String) {
    let number = lock.withLock {
      requestCount += 1
      return requestCount
    }
    let request = cache.get(key) { [self] _ in
      lock.withLock { events.append(.calledBack(request: number)) }
    }
    lock.withLock { requests[key, default: []].append((number, request)) }
  }

  private func cancel(_ key: String) {
    guard let last = lock.withLock({ requests[key]?.popLast() }) else { return }
    last.request?.cancel()
    lock.withLock { events.append(.cancelled(request: last.number)) }
  }

  /// Checks that every long key has a file name of its own with the key's path extension, and that
  /// the folder contains no other files.
  private func checkFileNames() -> Reply {
    let keys = lock.withLock { self.keys }
    var keysByName: [String: String] = [:]
    for (key, inCache) in keys.sorted(by: { $0.key < $1.key }) {
      let name = ImageDiskCache.fileName(forKey: inCache)
      if let other = keysByName.updateValue(key, forKey: name) {
        return .failed("\(key) and \(other) have one file, \(name)")
      }
      let expected = LongImageKey(key).fileExtension
      // A tilde and 32 digits precede the extension.
      if !name.hasPrefix("~") || name.dropFirst(33) != expected {
        return .failed("the file of \(key) is \(name), not one with the extension '\(expected)'")
      }
    }
    let files = cache.store.disk?.fileNames() ?? []
    if let file = files.first(where: { keysByName[$0] == nil }) {
      return .failed("\(file) is no key's file")
    }
    return .done
  }

  // MARK: The final state

  func finalState() -> FinalState? {
    let keys = lock.withLock { self.keys }
    let store = cache.store
    var state = FinalState(count: store.count, entries: [:])
    // Before the reads below: they fill memory and ask for files.
    let names = Dictionary(
      keys.map { (ImageDiskCache.fileName(forKey: $0.value), $0.key) }
    ) { $1 }
    func keysOf(_ files: Set<String>?) -> Set<String> { Set((files ?? []).map { names[$0] ?? $0 }) }
    state.indexes = [
      "the folder": keysOf(store.disk?.fileNames()),
      "the index of files": keysOf(store.disk?.indexedFileNames()),
    ]
    state.layers = [
      "memory": keys.compactMapValues { store.entriesInMemory()[$0]?.value },
      "disk": keys.compactMapValues { store.disk?.data(forKey: $0) },
    ]
    state.values = keys.compactMapValues { store.value(forKey: $0) }
    state.entries = state.values.mapValues(\.count)
    state.limits = limits
    state.events = lock.withLock { events }
    return state
  }

  private var limits: [FinalState.Limit] {
    let downloads: [String: Int] =
      switch origin {
      case .gated(let source): source.downloadsByURL
      case .published(let origin): origin.downloadsByURL
      }
    return downloads.sorted { $0.key < $1.key }.map {
      FinalState.Limit("downloads of \($0.key)", value: $0.value, limit: 1)
    } + [
      FinalState.Limit(
        "callers that got 'cancelled' without having cancelled",
        value: lock.withLock { cancelledByOthers }, limit: 0)
    ]
  }
}
