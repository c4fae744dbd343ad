import Foundation
import InterlockStress
import Synchronization

/// PINCache 3.0.4's disk cache as a subject. Its background work can run on the caller's thread:
/// the first scan of the directory, and the emptying of the trash.
final class PINDisk3Subject: Subject {
  static let actions = [
    "announce", "clear-did-remove", "damage", "empty-trash", "enumerate-and-get",
    "lock-files-and-get", "lock-files-and-read", "look", "open-new", "reopen", "set-did-remove",
    "keep-trimming-to-age", "stop-trimming-to-age", "trim-by-use", "trim-to-date", "trim-to-size",
    "wake-spuriously",
  ]

  private let scheduler = PINDispatchScheduler()
  private let root = pinTemporaryFolder()
  private let changes: PINChanges
  private let opened: Mutex<PINDiskCache3>
  /// The first scan of the directory, held back until the call `look` runs it.
  private let parked = Mutex<(@Sendable () -> Void)?>(nil)
  private let announced = PINAnnounced()

  init(changes: PINChanges) {
    self.changes = changes
    opened = Mutex(Self.open(root + "/first", changes, scheduler) { $0() })
  }

  private static func open(
    _ root: String, _ changes: PINChanges, _ scheduler: PINDispatchScheduler,
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> PINDiskCache3 {
    var options = PINDiskOptions()
    options.changes = changes
    options.scheduler = scheduler
    options.start = start
    return PINDiskCache3(name: "subject", root: root, options: options)
  }

  private var cache: PINDiskCache3 { opened.withLock { $0 } }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    guard case .action(let name) = operation.kind else {
      return cache.perform(operation, completion: completion)
    }
    let cache = cache
    switch name {
    case "lock-files-and-read":
      return completion(
        cache.folder.readTwice(operation.key, under: cache.synchronouslyLockFileAccess))
    case "keep-trimming-to-age": cache.ageLimit = pinShortAgeLimit
    case "stop-trimming-to-age":
      cache.ageLimit = 0
      scheduler.waitUntilIdle()
    case "trim-by-use": cache.trimToSizeByEvictionStrategy(UInt(bitPattern: operation.cost))
    case "trim-to-date": cache.trim(to: Date())
    case "trim-to-size": cache.trimToSize(UInt(bitPattern: operation.cost))
    default: act(name, operation.key)
    }
    completion(.done)
  }

  private func act(_ name: String, _ key: String) {
    switch name {
    case "announce":
      announced.follow(cache)
      scheduler.waitUntilIdle()
    case "set-did-remove":
      cache.setEvent(\.didRemoveObject) { _, _, _, _ in }
      scheduler.waitUntilIdle()
    case "clear-did-remove":
      cache.setEvent(\.didRemoveObject, nil)
      scheduler.waitUntilIdle()
    case "damage":
      damageFile(ofKey: key)
    case "empty-trash":
      cache.trash.empty()
    case "enumerate-and-get":
      cache.enumerateObjects { [cache] key, _ in cache.object(forKey: key) != nil }
    case "lock-files-and-get":
      cache.synchronouslyLockFileAccess { _ = $0.object(forKey: key) }
    case "open-new":
      park(root + "/second")
    case "reopen":
      park(root + "/first")
    case "look":
      parked.withLock { $0 }?()
    case "wake-spuriously":
      cache.wakeSpuriously()
    default:
      preconditionFailure("a call that the subject does not list: \(name)")
    }
  }

  /// Opens a cache whose first scan is held back.
  private func park(_ root: String) {
    scheduler.waitUntilIdle()
    let cache = Self.open(root, changes, scheduler) { [self] work in
      parked.withLock { $0 = work }
    }
    opened.withLock { $0 = cache }
  }

  /// Truncates a key's file, as a power failure may.
  private func damageFile(ofKey key: String) {
    guard let path = cache.filePath(forKey: key), let file = FileHandle(forUpdatingAtPath: path),
      let size = try? file.seekToEnd()
    else { preconditionFailure("there is no file to damage") }
    try? file.truncate(atOffset: size - 1)
    try? file.close()
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    var state = cache.finalState()
    if let keys = announced.keys { state.indexes["the announced keys"] = keys }
    return state
  }
}
