import Caches
import Foundation
import InterlockStress
import Synchronization

/// An application whose older version stores by TMCache, and whose newer one migrates the files and
/// reads them by PINCache.
///
/// `set` is a call of the older version, `get` and `remove` are calls of the newer one. A file that
/// was never migrated is no value.
final class PINMigrationSubject: ActionSubject {
  static let actions = ["migrate", "migrate-on-full-disk", "reopen-old"]

  private let scheduler = PINScheduler()
  private let root = folderOfTrial()
  private let isRepaired: Bool
  private let old: Mutex<TMDiskCache>
  private let new: Mutex<PINDiskCache3>
  var cache: (any Caches.Cache)? { new.withLock { $0 } }

  init(isRepaired: Bool) {
    self.isRepaired = isRepaired
    old = Mutex(Self.openOld(root))
    new = Mutex(Self.openNew(root + "/none", scheduler))
  }

  private static func openOld(_ root: String) -> TMDiskCache {
    TMDiskCache(name: "subject", root: root)
  }

  private static func openNew(_ root: String, _ scheduler: PINScheduler) -> PINDiskCache3 {
    var options = PINDiskOptions()
    options.changes = .repaired
    options.scheduler = scheduler
    options.start = { $0() }
    return PINDiskCache3(name: "subject", root: root, options: options)
  }

  func perform(_ call: Call, completion: @escaping Completion) {
    switch call.kind {
    case .set, .setAsync: return old.withLock { $0 }.perform(call, completion: completion)
    case .action("migrate"): migrate()
    case .action("migrate-on-full-disk"): withFullDisk(migrate)
    case .action:
      // "reopen-old": the older version is started again.
      let cache = Self.openOld(root)
      old.withLock { $0 = cache }
    default: return new.withLock { $0 }.perform(call, completion: completion)
    }
    completion(.done)
  }

  func act(_ name: String, _ call: Call, _ completion: @escaping Completion) { refuse(name) }

  /// The newer version is started: it migrates, and then opens its cache.
  private func migrate() {
    scheduler.waitUntilIdle()
    migrateDiskCache(named: "subject", root: root, repaired: isRepaired)
    let cache = Self.openNew(root, scheduler)
    new.withLock { $0 = cache }
  }

  func finalState() -> FinalState? {
    migrate()
    return new.withLock { $0 }.finalState()
  }
}
