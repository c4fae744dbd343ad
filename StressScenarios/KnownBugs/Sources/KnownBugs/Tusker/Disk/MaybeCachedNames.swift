import Dispatch
import Interlock

/// Kingfisher's index: the names that a scan of the folder found, and those stored since. It may
/// contain a name without a file, but should lack no file's name.
///
/// Follows `maybeCached` in `DiskStorage.swift` of Kingfisher 8.3.1 to 8.10.0
/// (`setupCacheChecking`, `store`, `value`, as of commit e1155560): a private serial queue guards
/// the set, a global queue lists the folder, and the private queue publishes the listing. So a file
/// stored between listing and publication is lost from the index: pull request 2535.
///
/// `@unchecked Sendable`: mutable state is only touched on `queue`.
final class MaybeCachedNames: FileIndex, @unchecked Sendable {
  private let section = Section("imagecache.disk.maybeCached")
  private let queue = DispatchQueue(label: "interlock.imagecache.maybe-cached")
  private let isRepaired: Bool
  /// `nil` before a scan: every file may exist then.
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
          // The fix of pull request 2535 (commit 1c7c8262): add the names stored meanwhile.
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

  /// `false`: the set holds names that may exist, not that must.
  func isKnownToExist(_ name: String) -> Bool { false }

  func stored(_ name: String) {
    if isRepaired {
      // The fix: note the name before the store completes, and also before the first scan.
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

  /// Does nothing: names stay in the set.
  func removed(_ name: String) {}

  /// Does nothing: names stay in the set.
  func removedAll() {}
}
