import Caches
import Foundation
import InterlockStress

/// A disk cache whose first scan of the directory can be held back until the call `look` runs it;
/// the first cache's directory exists from the beginning.
final class PINOpened<Disk: PINDisk>: Sendable {
  let scheduler = PINScheduler()
  private let root = folderOfTrial()
  private let changes: PINChanges
  private let make: @Sendable (_ root: String, PINDiskOptions) -> Disk
  private let opened: Box<Disk?> = Box(nil)
  private let parked = Box<(@Sendable () -> Void)?>(nil)

  init(_ changes: PINChanges, _ make: @escaping @Sendable (String, PINDiskOptions) -> Disk) {
    self.changes = changes
    self.make = make
    open("first") { $0() }
  }

  var cache: Disk {
    guard let cache = opened.value else { preconditionFailure("no cache is open") }
    return cache
  }

  private func open(
    _ folder: String, start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    var options = PINDiskOptions()
    options.changes = changes
    options.scheduler = scheduler
    options.start = start
    opened.value = make(root + "/" + folder, options)
  }

  /// Makes one of the calls of both versions.
  func act(_ name: String, _ call: InterlockStress.Operation) -> Reply {
    let cache = cache
    switch name {
    case "enumerate-and-get": cache.enumerateObjects { key in _ = cache.object(forKey: key) }
    case "lock-files-and-get":
      cache.synchronouslyLockFileAccess { _ = cache.object(forKey: call.key) }
    case "lock-files-and-read": return cache.readTwice(call.key)
    case "keep-trimming-to-age": cache.ageLimit = pinShortAgeLimit
    case "stop-trimming-to-age":
      cache.ageLimit = 0
      scheduler.waitUntilIdle()
    case "trim-by-use": cache.trimToSizeByDate(UInt(bitPattern: call.cost))
    case "trim-to-date": cache.trim(to: Date())
    case "trim-to-size": cache.trimToSize(UInt(bitPattern: call.cost))
    case "reopen": park("first")
    case "open-new": park("second")
    case "look": parked.value?()
    default: preconditionFailure("a call that the subject lists, and does not make: \(name)")
    }
    return .done
  }

  /// Opens a cache whose first scan is held back.
  private func park(_ folder: String) {
    scheduler.waitUntilIdle()
    open(folder) { [parked] work in parked.value = work }
  }

  func finalState() -> FinalState {
    scheduler.waitUntilIdle()
    return cache.finalState()
  }
}

/// PINCache 2.0's disk cache as a subject.
final class PINDisk2Subject: ActionSubject {
  static let actions = [
    "enumerate-and-get", "lock-files-and-get", "lock-files-and-read", "look", "read-in-will-add",
    "keep-trimming-to-age", "reopen", "set-and-get-in-completion", "stop-trimming-to-age",
    "trim-by-use", "trim-to-date", "trim-to-size",
  ]

  private let opened: PINOpened<PINDiskCache2>
  var cache: (any Caches.Cache)? { opened.cache }

  init(changes: PINChanges) {
    opened = PINOpened(changes) { PINDiskCache2(name: "subject", root: $0, options: $1) }
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    switch name {
    case "set-and-get-in-completion":
      return opened.cache.setObject(PINObject(call.value), forKey: call.key) { cache, key, _ in
        completion(.value(cache.value(forKey: key)))
      }
    case "read-in-will-add":
      opened.cache.setEvent(\.willAddObject) { cache, key, _ in _ = cache.object(forKey: key) }
      opened.scheduler.waitUntilIdle()
      completion(.done)
    // A new root, which has no directory yet.
    case "reopen": completion(opened.act("open-new", call))
    default: completion(opened.act(name, call))
    }
  }

  func finalState() -> FinalState? { opened.finalState() }
}

/// PINCache 3.0.4's disk cache as a subject. Its background work can run on the caller's thread:
/// the first scan of the directory, and the emptying of the trash.
final class PINDisk3Subject: ActionSubject {
  static let actions = [
    "announce", "clear-did-remove", "damage", "empty-trash", "enumerate-and-get",
    "lock-files-and-get", "lock-files-and-read", "look", "open-new", "reopen", "set-did-remove",
    "keep-trimming-to-age", "stop-trimming-to-age", "trim-by-use", "trim-to-date", "trim-to-size",
    "wake-spuriously",
  ]

  private let opened: PINOpened<PINDiskCache3>
  var cache: (any Caches.Cache)? { opened.cache }
  private let announced = PINAnnounced()

  init(changes: PINChanges) {
    opened = PINOpened(changes) { PINDiskCache3(name: "subject", root: $0, options: $1) }
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    let cache = opened.cache
    switch name {
    case "announce": announced.follow(cache)
    case "set-did-remove": cache.setEvent(\.didRemoveObject) { _, _, _ in }
    case "clear-did-remove": cache.setEvent(\.didRemoveObject, nil)
    case "damage": damageFile(ofKey: call.key)
    case "empty-trash": cache.trash.empty()
    case "wake-spuriously": cache.wakeSpuriously()
    default: return completion(opened.act(name, call))
    }
    if name == "announce" || name.hasSuffix("did-remove") { opened.scheduler.waitUntilIdle() }
    completion(.done)
  }

  /// Truncates a key's file, as a power failure may.
  private func damageFile(ofKey key: String) {
    guard let path = opened.cache.filePath(forKey: key),
      let bytes = opened.cache.folder.read(path),
      opened.cache.folder.write(bytes.dropLast(), to: path)
    else { preconditionFailure("there is no file to damage") }
  }

  func finalState() -> FinalState? {
    var state = opened.finalState()
    if let keys = announced.keys { state.indexes["the announced keys"] = keys }
    return state
  }
}

/// Two disk caches of one name, which the original's documentation forbids; or, repaired, one
/// shared instance that both users get by its name.
final class PINTwoDisksSubject: ActionSubject {
  static let actions = ["set-other", "remove-other"]

  private let scheduler = PINScheduler()
  private let first: PINDiskCache2
  private let second: PINDiskCache2
  var cache: (any Caches.Cache)? { first }

  init(isShared: Bool) {
    let root = folderOfTrial()
    let instances = WeakInstances<PINDiskCache2>()
    let scheduler = scheduler
    func open() -> PINDiskCache2 {
      var options = PINDiskOptions()
      options.changes = [.version2, .replacedBytesSubtracted]
      options.scheduler = scheduler
      options.start = { $0() }
      return PINDiskCache2(name: "subject", root: root, options: options)
    }
    first = isShared ? instances.instance(for: root, orMake: open) : open()
    second = isShared ? instances.instance(for: root, orMake: open) : open()
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) {
    switch name {
    case "set-other": second.setValue(call.value, forKey: call.key, cost: call.cost)
    default: second.removeValue(forKey: call.key)
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
