import Dispatch
import Interlock

/// Kingfisher's index: the names that a scan of the folder found, and those that were stored since.
/// A name may be in it without a file, never the other way round.
///
/// Follows `maybeCached` in `DiskStorage.swift` of Kingfisher 8.3.1 to 8.10.0
/// (`setupCacheChecking`, `store`, `value`, as of commit e1155560): a private serial queue guards
/// the set, the folder is listed on a global queue, and what was listed is published on the private
/// one. So a file that is stored between the listing and the publication is in neither: pull
/// request 2535.
///
/// `@unchecked Sendable`: what changes is on `queue` only.
final class MaybeCachedNames: FileIndex, @unchecked Sendable {
  private let section = Section("imagecache.disk.maybeCached")
  private let queue = DispatchQueue(label: "interlock.imagecache.maybe-cached")
  private let isRepaired: Bool
  /// `nil` where nothing is known: every file may exist then.
  private var names: Set<String>?
  private var isScanned = false
  private var storedDuringScan: Set<String> = []

  init(repaired: Bool) {
    isRepaired = repaired
  }

  func scan(
    _ listing: @escaping @Sendable () -> [String]?, completion: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().async { [self] in
      let found = listing().map(Set.init)
      SYNC_POINT("imagecache.scan.afterListing")
      SYNC_POINT("imagecache.scan.beforePublication")
      queue.async { [self] in
        section.write(synched: true) {
          // The fix of pull request 2535 (commit 1c7c8262): what was stored meanwhile is added.
          names = isRepaired ? found?.union(storedDuringScan) : found
          storedDuringScan = []
          isScanned = true
        }
        completion()
      }
    }
  }

  func mayExist(_ name: String, onDisk: () -> Bool) -> Bool {
    queue.sync { section.read(synched: true) { names?.contains(name) ?? true } } && onDisk()
  }

  /// The set is of what may be there; it never knows.
  func isKnownToExist(_ name: String) -> Bool { false }

  func stored(_ name: String) {
    if isRepaired {
      // The fix: noted before the store completes, and also while there is no set yet.
      queue.sync { note(name) }
    } else {
      queue.async { self.note(name) }
    }
  }

  private func note(_ name: String) {
    section.write(synched: true) {
      if isRepaired, !isScanned { storedDuringScan.insert(name) }
      names?.insert(name)
    }
  }

  /// A name is never taken out.
  func removed(_ name: String) {}

  /// A name is never taken out.
  func removedAll() {}
}
