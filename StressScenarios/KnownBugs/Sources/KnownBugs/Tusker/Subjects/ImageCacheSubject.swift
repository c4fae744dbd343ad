import Caches
import Foundation
import InterlockStress

/// Tusker's image cache as a subject.
///
/// `get` reads the store; `get-async` is `ImageCache.get`, and completes in its callback, if that
/// is called.
final class ImageCacheSubject: ActionSubject {
  static let actions = [
    "request", "cancel", "prefetch", "cancel-prefetch", "deliver", "has", "forget-memory", "scan",
    "check-look-ups", "check-cached", "use-long-keys", "check-file-names",
  ]

  private struct State {
    /// The requests that `request` made, the newest of a key last; `nil` for one that the store
    /// answered.
    var requests: [String: [(number: Int, request: ImageRequest?)]] = [:]
    var requestCount = 0
    var events: [FinalState.Event] = []
    var cancelledByOthers = 0
    /// The keys of the workload, each with its key in the cache.
    var keys: [String: String] = [:]
    /// Whether the keys in the cache are those of `LongImageKey`.
    var usesLongKeys = false
  }

  private let source: GatedImageSource
  /// Whether downloads end by themselves, with what `set` published; else they wait until an action
  /// delivers them.
  private let isPublished: Bool
  private let images: ImageCache
  private var store: ImageStore { images.store }
  var cache: (any Caches.Cache)? { store }
  private let state = Box(State())

  init(repaired: Bool, index: ImageDiskCache.Index?, isPublished: Bool = false) {
    self.isPublished = isPublished
    source = GatedImageSource(ending: isPublished ? .all : .later)
    let folder = URL(fileURLWithPath: folderOfTrial(), isDirectory: true)
    let disk = index.map { ImageDiskCache(directory: folder, index: $0, repaired: repaired) }
    images = ImageCache(
      store: ImageStore(disk: disk, repaired: repaired), source: source, repaired: repaired)
  }

  func supports(_ kind: Call.Kind) -> Bool {
    switch kind {
    case .setAsync, .removeAsync: false
    // The timing of its downloads cannot be controlled, so it has no actions.
    case .action(let name): !isPublished && Self.actions.contains(name)
    default: true
    }
  }

  func perform(_ call: Call, completion: @escaping @Sendable (Reply) -> Void) {
    let key = state.change { $0.usesLongKeys ? LongImageKey(call.key).text : call.key }
    if call.kind != .get, call.kind != .remove { state.change { $0.keys[call.key] = key } }
    switch call.kind {
    case .getAsync:
      images.get(key) { [state] answer in
        if answer == .failure(.cancelled) { state.change { $0.cancelledByOthers += 1 } }
        completion(.value(try? answer.get()))
      }
    case .set where isPublished:
      source.publish(call.value, under: key)
      completion(.done)
    case .action(let name): act(name, call, key, completion)
    default:
      var call = call
      call.key = key
      store.perform(call, completion: completion)
    }
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) { refuse(name) }

  private func act(
    _ name: String, _ call: Call, _ key: String, _ completion: @escaping Completion
  ) {
    switch name {
    case "request": request(key)
    case "cancel": cancel(key)
    case "prefetch": images.fetchIfNotCached(key)
    case "cancel-prefetch": images.cancelWithoutCallback(key)
    case "deliver": source.deliver(.success(call.value), for: key)
    case "has": _ = store.disk?.has(key)
    case "forget-memory": store.forgetMemory()
    case "scan":
      store.disk?.scan { completion(.done) }
      return
    case "check-look-ups":
      // The cost of the call is the highest number of look-ups allowed.
      let count = store.disk?.lookUpCount ?? 0
      if count > call.cost {
        return completion(.failed("the file system was asked for a file \(count) times"))
      }
    case "check-cached":
      if !store.has(key) { return completion(.failed("there is no image")) }
    case "use-long-keys":
      state.change {
        $0.usesLongKeys = true
        $0.keys = [:]
      }
    case "check-file-names": return completion(checkFileNames())
    default: refuse(name)
    }
    completion(.done)
  }

  /// Makes a request that can be cancelled; its callback is recorded as an event.
  private func request(_ key: String) {
    let number = state.change {
      $0.requestCount += 1
      return $0.requestCount
    }
    let request = images.get(key) { [state] _ in
      state.change { $0.events.append(.calledBack(request: number)) }
    }
    state.change { $0.requests[key, default: []].append((number, request)) }
  }

  private func cancel(_ key: String) {
    guard let last = state.change({ $0.requests[key]?.popLast() }) else { return }
    last.request?.cancel()
    state.change { $0.events.append(.cancelled(request: last.number)) }
  }

  /// Checks that every long key has a file name of its own with the key's path extension, and that
  /// the folder contains no other files.
  private func checkFileNames() -> Reply {
    var keysByName: [String: String] = [:]
    for (key, inCache) in state.value.keys.sorted(by: { $0.key < $1.key }) {
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
    if let file = store.disk?.fileNames().first(where: { keysByName[$0] == nil }) {
      return .failed("\(file) is no key's file")
    }
    return .done
  }

  func finalState() -> FinalState? {
    let known = state.value
    var final = FinalState(count: store.count, entries: [:])
    // Before the reads below: they fill memory and ask for files.
    let names = Dictionary(
      known.keys.map { (ImageDiskCache.fileName(forKey: $0.value), $0.key) }
    ) { $1 }
    func keysOf(_ files: Set<String>?) -> Set<String> { Set((files ?? []).map { names[$0] ?? $0 }) }
    final.indexes = [
      "the folder": keysOf(store.disk?.fileNames()),
      "the index of files": keysOf(store.disk?.indexedFileNames()),
    ]
    final.layers = [
      "memory": known.keys.compactMapValues { store.entriesInMemory()[$0]?.value },
      "disk": known.keys.compactMapValues { store.disk?.data(forKey: $0) },
    ]
    final.values = known.keys.compactMapValues { store.value(forKey: $0) }
    final.entries = final.values.mapValues(\.count)
    final.limits = source.downloadsByURL.sorted { $0.key < $1.key }.map {
      FinalState.Limit("downloads of \($0.key)", value: $0.value, limit: 1)
    }
    final.limits.append(
      .init(
        "callers that got 'cancelled' without having cancelled", value: known.cancelledByOthers,
        limit: 0))
    final.events = known.events
    return final
  }
}
