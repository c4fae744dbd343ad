import Dispatch
import Foundation
import Interlock

extension PINDiskCache2 {
  func removeObject(forKey key: String) {
    lockForChange()
    removeFileAndExecuteBlocks(forKey: key)
    unlockAfterChange()
  }

  /// Under the lock: moves a file to the trash, and calls the blocks.
  private func removeFileAndExecuteBlocks(forKey key: String) {
    let file = folder.path(forKey: key)
    guard folder.exists(file) else { return }
    tell(events.willRemoveObject, key, nil)
    guard trash.take(file) else { return }
    trash.emptyLater()
    section.write(synched: true) {
      byteCount &-= sizes[key] ?? 0
      sizes[key] = nil
      dates[key] = nil
    }
    tell(events.didRemoveObject, key, nil)
  }

  /// Removes every file, by moving the directory to the trash.
  func removeAllObjects() {
    lockForChange()
    defer { unlockAfterChange() }
    _ = trash.take(folder.path)
    trash.emptyLater()
    folder.create()
    section.write(synched: true) {
      dates.removeAll()
      sizes.removeAll()
      byteCount = 0
    }
  }

  // MARK: Trims, each in one step

  func trimToSize(_ size: UInt) {
    remove(untilSizeIs: size) { sizes.sorted { $0.value > $1.value }.map(\.key) }
  }

  func trimToSizeByDate(_ size: UInt) {
    remove(untilSizeIs: size) { keysByDate }
  }

  func trim(to date: Date) {
    lockForChange()
    defer { unlockAfterChange() }
    for key in keysByDate where dates[key].map({ $0 < date }) ?? false {
      removeFileAndExecuteBlocks(forKey: key)
    }
  }

  var keysByDate: [String] {
    section.read(synched: true) { dates.sorted { $0.value < $1.value }.map(\.key) }
  }

  private func remove(untilSizeIs size: UInt, _ keys: () -> [String]) {
    lockForChange()
    defer { unlockAfterChange() }
    for key in keys() where byteCount > size { removeFileAndExecuteBlocks(forKey: key) }
  }

  /// Every setting starts a chain of trims, and ends none.
  var ageLimit: TimeInterval {
    get {
      lock()
      defer { unlock() }
      return ageLimitNow
    }
    set {
      scheduler.schedule { [self] in
        lock()
        ageLimitNow = newValue
        unlock()
        trimToAgeLimitRecursively()
      }
    }
  }

  private func trimToAgeLimitRecursively() {
    let limit = ageLimit
    guard limit > 0 else { return }
    trim(to: Date(timeIntervalSinceNow: -limit))
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in
      guard let self else { return }
      scheduler.schedule { [weak self] in self?.trimToAgeLimitRecursively() }
    }
  }
}
