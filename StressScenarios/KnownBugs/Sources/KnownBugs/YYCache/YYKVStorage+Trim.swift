import Foundation
import Interlock

// Many items at a time.
extension YYKVStorage {
  /// How many items a trim or a removal of everything with progress reads at a time.
  private static let batch = 16

  /// Removes the least recently used items down to this number.
  func removeItems(toFitCount limit: Int) {
    if limit <= 0 { return removeAll() }
    section.write(synched: true) {
      var count = number("SELECT count(*) FROM manifest") ?? 0
      while count > limit {
        let oldest = oldest()
        if oldest.isEmpty { break }
        for item in oldest where count > limit {
          guard remove(item) else { return }
          count -= 1
        }
      }
      _ = query { database in database.checkpoint() }
    }
  }

  /// Removes everything at once: the database is closed, deleted and made anew.
  func removeAll() {
    section.write(synched: true) {
      close()
      reset()
      _ = open()
    }
  }

  /// Removes some of the least recently used items; returns how many, or `nil` if the database
  /// fails.
  func removeBatch() -> Int? {
    section.write(synched: true) {
      let oldest = oldest()
      for item in oldest where !remove(item) { return nil }
      return oldest.count
    }
  }

  private func remove(_ item: YYStorageItem) -> Bool {
    if let fileName = item.fileName { unlink(filePath(fileName)) }
    return removeRow(item.key)
  }

  private func oldest() -> [YYStorageItem] {
    items(
      "SELECT key, filename, size, NULL FROM manifest ORDER BY last_access_time"
        + " LIMIT \(Self.batch)")
  }
}
