import Foundation
import Interlock
import InterlockStress

/// The keys as an observer of a cache's blocks knows them: `didAdd` adds a key, and `willRemove`
/// removes it. An application may keep such a set to write evicted objects back to their source.
///
/// `@unchecked Sendable`: `known` is under `lock`.
final class PINAnnounced: @unchecked Sendable {
  private let lock = NSLock()
  private var known: Set<String>?

  /// The keys; `nil` if no cache is observed.
  var keys: Set<String>? { lock.withLock { known } }

  func follow(_ cache: PINMemoryCache) {
    begin()
    cache.setEvent(\.didAddObject) { [self] _, key, _ in add(key) }
    cache.setEvent(\.willRemoveObject) { [self] _, key, _ in remove(key) }
  }

  func follow(_ cache: PINDiskCache3) {
    begin()
    cache.setEvent(\.didAddObject) { [self] _, key, _ in add(key) }
    cache.setEvent(\.willRemoveObject) { [self] _, key, _ in remove(key) }
  }

  private func begin() { lock.withLock { known = [] } }
  private func add(_ key: String) { lock.withLock { _ = known?.insert(key) } }
  private func remove(_ key: String) { lock.withLock { _ = known?.remove(key) } }
}

/// The age limit of `keep-trimming-to-age`, in seconds: trims follow one another during a trial.
let pinShortAgeLimit = 0.002

extension PINDisk {
  /// The cache's records, and the files in its directory.
  func finalState() -> FinalState {
    let files = storedFiles()
    var state = FinalState(
      count: knownSizes.count, entries: files.mapValues(\.size), values: files.mapValues(\.value))
    state.totals = [byteTotal("the byte count", of: files)]
    state.indexes = ["the metadata": Set(knownSizes.keys), "the directory": Set(files.keys)]
    return state
  }

  func byteTotal(
    _ name: String, of files: [String: (size: Int, value: [UInt8])]
  ) -> FinalState.Total {
    FinalState.Total(
      name, claimed: Int(bitPattern: byteCount),
      counted: files.values.reduce(0) { $0 + $1.size })
  }

  /// Reads a key's file twice with exclusive access to the files, and does not call the cache: as
  /// `lockFileAccessWhileExecutingBlock:` is meant to be used.
  func readTwice(_ key: String) -> Reply {
    var found: ([UInt8]?, [UInt8]?)
    let file = folder.path(forKey: key)
    synchronouslyLockFileAccess {
      found.0 = folder.read(file)
      SYNC_POINT("pindiskcache.files.locked")
      found.1 = folder.read(file)
    }
    guard found.0 == found.1 else { return .failed("a file changed while the files were locked") }
    return .value(found.0.flatMap(Archive.value(in:)))
  }
}
