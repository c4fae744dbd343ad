import Foundation
import Interlock

/// Tusker's index of April 2021: a dictionary of file states, which saves the look-up of known
/// files.
///
/// Follows "The Intricate Image Caching Architecture of Tusker", which names three states and no
/// lock. Callers come from the main thread (`has`) and from the source's threads (`stored`).
///
/// `@unchecked Sendable`: as shipped, `states` is as unguarded as in the article. Its accesses are
/// sections, so that an overlap is reported before it does damage.
final class FileStates: FileIndex, @unchecked Sendable {
  private enum State {
    case exists
    case doesNotExist
    // The third state, unknown, is that of a file without an entry.
  }

  private let section = Section("imagecache.disk.fileStates")
  private var states: [String: State] = [:]
  /// The fix of Kingfisher's issue 1480 (commit 9fb62587), whose index was unguarded too: a lock
  /// around each access. `nil` as shipped.
  private let lock: NSLock?

  init(repaired: Bool) {
    lock = repaired ? NSLock() : nil
  }

  private func access<R>(_ body: () -> R) -> R {
    lock?.lock()
    defer { lock?.unlock() }
    return body()
  }

  private func state(of name: String) -> State? {
    access { section.read(synched: lock != nil) { states[name] } }
  }

  private func setState(_ state: State?, of name: String) {
    access { section.write(synched: lock != nil) { states[name] = state } }
  }

  func mayExist(_ name: String, onDisk: () -> Bool) -> Bool {
    if let known = state(of: name) { return known == .exists }
    let found: State = onDisk() ? .exists : .doesNotExist
    // Another thread may write the file here and call `stored`; the code below must not overwrite
    // that.
    SYNC_POINT("imagecache.has.afterLookingForFile")
    SYNC_POINT("imagecache.has.beforeStateIsKept")
    guard lock != nil else {
      setState(found, of: name)
      return found == .exists
    }
    // The fix: record the result only if no state was set since. A compare-and-set, so that the
    // file system is still asked outside the lock.
    return access {
      section.write(synched: true) {
        if let newer = states[name] { return newer == .exists }
        states[name] = found
        return found == .exists
      }
    }
  }

  func isKnownToExist(_ name: String) -> Bool { state(of: name) == .exists }

  func stored(_ name: String) { setState(.exists, of: name) }

  func removed(_ name: String) { setState(.doesNotExist, of: name) }

  func removedAll() { access { section.write(synched: lock != nil) { states = [:] } } }
}
