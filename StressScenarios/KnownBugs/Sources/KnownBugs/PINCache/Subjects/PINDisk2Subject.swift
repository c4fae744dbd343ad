import Foundation
import InterlockStress
import Synchronization

/// PINCache 2.0's disk cache as a subject. Its directory exists from the beginning, except after
/// `reopen`.
final class PINDisk2Subject: Subject {
  static let actions = [
    "enumerate-and-get", "lock-files-and-get", "lock-files-and-read", "look", "read-in-will-add",
    "keep-trimming-to-age", "reopen", "set-and-get-in-completion", "stop-trimming-to-age",
    "trim-by-use", "trim-to-date", "trim-to-size",
  ]

  private let scheduler = PINDispatchScheduler()
  private let root = pinTemporaryFolder()
  private let changes: PINChanges
  private let opened: Mutex<PINDiskCache2>
  /// The first scan of the directory, held back until the call `look` runs it.
  private let parked = Mutex<(@Sendable () -> Void)?>(nil)

  init(changes: PINChanges) {
    self.changes = changes
    opened = Mutex(Self.open(root + "/first", changes, scheduler) { $0() })
  }

  private static func open(
    _ root: String, _ changes: PINChanges, _ scheduler: PINDispatchScheduler,
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> PINDiskCache2 {
    var options = PINDiskOptions()
    options.changes = changes
    options.scheduler = scheduler
    options.start = start
    return PINDiskCache2(name: "subject", root: root, options: options)
  }

  private var cache: PINDiskCache2 { opened.withLock { $0 } }

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
    let key = operation.key
    switch name {
    case "set-and-get-in-completion":
      return cache.setObject(PINObject(operation.value), forKey: key) { cache, key, _, _ in
        completion(.value(cache.value(forKey: key)))
      }
    case "read-in-will-add":
      cache.setEvent(\.willAddObject) { cache, key, _, _ in _ = cache.object(forKey: key) }
      scheduler.waitUntilIdle()
    case "enumerate-and-get":
      cache.enumerateObjects { [cache] key, _ in _ = cache.object(forKey: key) }
    case "lock-files-and-get":
      cache.synchronouslyLockFileAccess { _ = $0.object(forKey: key) }
    case "lock-files-and-read":
      return completion(cache.folder.readTwice(key, under: cache.synchronouslyLockFileAccess))
    case "keep-trimming-to-age": cache.ageLimit = pinShortAgeLimit
    case "stop-trimming-to-age":
      cache.ageLimit = 0
      scheduler.waitUntilIdle()
    case "trim-by-use": cache.trimToSizeByDate(UInt(bitPattern: operation.cost))
    case "trim-to-date": cache.trim(to: Date())
    case "trim-to-size": cache.trimToSize(UInt(bitPattern: operation.cost))
    case "reopen":
      // A new root, which has no directory yet.
      let cache = Self.open(root + "/second", changes, scheduler) { [self] work in
        parked.withLock { $0 = work }
      }
      opened.withLock { $0 = cache }
    case "look":
      parked.withLock { $0 }?()
    default:
      preconditionFailure("a call that the subject does not list: \(name)")
    }
    completion(.done)
  }

  func finalState() -> FinalState? {
    scheduler.waitUntilIdle()
    return cache.finalState()
  }
}
