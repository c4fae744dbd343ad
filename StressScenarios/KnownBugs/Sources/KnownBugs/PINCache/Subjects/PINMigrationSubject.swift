import Caches
import Foundation
import InterlockStress
import Synchronization

/// An application whose older version stores by TMCache, and whose newer one migrates the files and
/// reads them by PINCache.
///
/// `set` is a call of the older version, `get` and `remove` are calls of the newer one. A file that
/// was never migrated is no value.
final class PINMigrationSubject: Subject {
  static let actions = ["migrate", "migrate-on-full-disk", "reopen-old"]

  private struct Opened {
    var old: TMDiskCache
    var new: PINDiskCache3
  }

  private let scheduler = PINDispatchScheduler()
  private let root: String
  private let isRepaired: Bool
  private let opened: Mutex<Opened>

  init(isRepaired: Bool) {
    root = pinTemporaryFolder()
    self.isRepaired = isRepaired
    opened = Mutex(
      Opened(old: Self.openOld(root), new: Self.openNew(root + "/none", scheduler)))
  }

  private static func openOld(_ root: String) -> TMDiskCache {
    TMDiskCache(name: "subject", root: URL(fileURLWithPath: root))
  }

  private static func openNew(_ root: String, _ scheduler: PINDispatchScheduler) -> PINDiskCache3 {
    var options = PINDiskOptions()
    options.changes = .repaired
    options.scheduler = scheduler
    options.start = { $0() }
    return PINDiskCache3(name: "subject", root: root, options: options)
  }

  private var old: TMDiskCache { opened.withLock { $0.old } }
  private var new: PINDiskCache3 { opened.withLock { $0.new } }

  func supports(_ kind: InterlockStress.Operation.Kind) -> Bool {
    guard case .action(let name) = kind else { return true }
    return Self.actions.contains(name)
  }

  func perform(
    _ operation: InterlockStress.Operation, completion: @escaping @Sendable (Reply) -> Void
  ) {
    switch operation.kind {
    case .set, .setAsync:
      old.perform(operation, completion: completion)
      return
    case .action("migrate"):
      migrate()
    case .action("migrate-on-full-disk"):
      withFullDisk(migrate)
    case .action:
      // "reopen-old": the older version is started again.
      let cache = Self.openOld(root)
      opened.withLock { $0.old = cache }
    default:
      new.perform(operation, completion: completion)
      return
    }
    completion(.done)
  }

  /// The newer version is started: it migrates, and then opens its cache.
  private func migrate() {
    scheduler.waitUntilIdle()
    PINMigration.migrateDiskCaches(named: ["subject"], root: root, repaired: isRepaired)
    let cache = Self.openNew(root, scheduler)
    opened.withLock { $0.new = cache }
  }

  func finalState() -> FinalState? {
    migrate()
    return new.finalState()
  }
}
