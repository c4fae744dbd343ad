import Interlock

// Many items at a time: `removeItemsToFitSize:`, `removeItemsToFitCount:`,
// `removeItemsEarlierThanTime:`, `removeAllItems` and `removeAllItemsWithProgressBlock:endBlock:`.
extension YYKVStorage {
  /// How many items a trim reads at a time.
  private static let trimBatch = 16
  /// How many items a removal of everything with progress removes at a time.
  static let removalBatch = 32

  /// Removes the least recently used items down to this number of bytes.
  func removeItems(toFitSize limit: Int) {
    if limit <= 0 { return removeAll() }
    removeOldest { count, size in size > limit }
  }

  /// Removes the least recently used items down to this number.
  func removeItems(toFitCount limit: Int) {
    if limit <= 0 { return removeAll() }
    removeOldest { count, size in count > limit }
  }

  /// Removes items last used before a time, in seconds since 1970.
  func removeItems(unusedSince time: Int) {
    section.write(synched: true) {
      let old = query { database throws(SQLiteError) in
        let row = try database.statement(
          "SELECT filename FROM manifest WHERE last_access_time < ?1 AND filename IS NOT NULL",
          .number(time))
        var names: [String] = []
        while try row.step() { names += row.text(0).map { [$0] } ?? [] }
        return names
      }
      for name in old ?? [] { SystemFiles.remove(filePath(name)) }
      _ = query { database throws(SQLiteError) in
        _ = try database.statement(
          "DELETE FROM manifest WHERE last_access_time < ?1", .number(time)
        ).step()
        database.checkpoint()
      }
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

  /// Removes up to 32 of the least recently used items; returns how many, or `nil` if the
  /// database fails.
  func removeBatch() -> Int? {
    section.write(synched: true) {
      guard let items = oldest(Self.removalBatch) else { return nil }
      for item in items where !remove(item) { return nil }
      return items.count
    }
  }

  /// Moves the write-ahead log into the database.
  func checkpoint() {
    section.write(synched: true) { _ = query { database in database.checkpoint() } }
  }

  private func removeOldest(while isAbove: (_ count: Int, _ size: Int) -> Bool) {
    section.write(synched: true) {
      guard var count = number("SELECT count(*) FROM manifest"),
        var size = number("SELECT coalesce(sum(size), 0) FROM manifest"), isAbove(count, size)
      else { return }
      while isAbove(count, size), let items = oldest(Self.trimBatch), !items.isEmpty {
        for item in items where isAbove(count, size) {
          guard remove(item) else { return }
          count -= 1
          size -= item.size
        }
      }
      _ = query { database in database.checkpoint() }
    }
  }

  private func remove(_ item: YYStorageItem) -> Bool {
    if let fileName = item.fileName { SystemFiles.remove(filePath(fileName)) }
    return removeRow(item.key)
  }

  private func oldest(_ limit: Int) -> [YYStorageItem]? {
    query { database throws(SQLiteError) in
      let row = try database.statement(
        "SELECT key, filename, size, last_access_time FROM manifest"
          + " ORDER BY last_access_time LIMIT ?1", .number(limit))
      var items: [YYStorageItem] = []
      while try row.step() {
        items.append(
          YYStorageItem(
            key: row.text(0) ?? "", fileName: row.text(1), size: row.number(2),
            accessTime: row.number(3)))
      }
      return items
    }
  }
}
