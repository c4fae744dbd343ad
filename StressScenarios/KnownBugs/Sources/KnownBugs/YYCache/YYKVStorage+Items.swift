import Interlock

// One item at a time: `saveItemWithKey:…`, `getItemForKey:`, `removeItemForKey:`,
// `itemExistsForKey:`.
extension YYKVStorage {
  /// Stores a value, in a file if a name is given, else in the database; returns whether it did.
  ///
  /// File and row are not written atomically: another storage on the same folder may see one
  /// without the other.
  @discardableResult
  func save(
    key: String, value: [UInt8], fileName: String? = nil, extendedData: [UInt8]? = nil
  ) -> Bool {
    section.write(synched: true) {
      guard !key.isEmpty, !value.isEmpty, kind != .files || fileName != nil else { return false }
      if let fileName {
        do throws(SystemFiles.Failure) {
          try SystemFiles.write(value, to: filePath(fileName)) {
            SYNC_POINT("yykvstorage.save.fileOpened")
          }
        } catch {
          // Remove the incomplete file.
          SystemFiles.remove(filePath(fileName))
          return false
        }
        SYNC_POINT("yykvstorage.save.fileWritten")
        if writeRow(key, value.count, fileName, nil, extendedData) { return true }
        SystemFiles.remove(filePath(fileName))
        return false
      }
      if kind == .mixed, let old = self.fileName(ofKey: key) {
        SystemFiles.remove(filePath(old))
        SYNC_POINT("yykvstorage.save.oldFileRemoved")
      }
      return writeRow(key, value.count, nil, value, extendedData)
    }
  }

  /// What is stored under a key; notes the access. A row whose file is missing is removed.
  func item(forKey key: String) -> YYStorageItem? {
    section.write(synched: true) {
      guard !key.isEmpty else { return nil }
      let found = query { database throws(SQLiteError) in
        let row = try database.statement(
          "SELECT filename, size, inline_data, last_access_time, extended_data"
            + " FROM manifest WHERE key = ?1", .text(key))
        guard try row.step() else { return YYStorageItem?.none }
        return YYStorageItem(
          key: key, value: row.bytes(2), fileName: row.text(0), size: row.number(1),
          accessTime: row.number(3), extendedData: row.bytes(4))
      }
      guard var item = found ?? nil else { return nil }
      _ = query { database throws(SQLiteError) in
        try database.statement(
          "UPDATE manifest SET last_access_time = ?1 WHERE key = ?2", .number(now), .text(key)
        ).step()
      }
      if let fileName = item.fileName {
        guard let value = SystemFiles.read(filePath(fileName)) else {
          removeRow(key)
          return nil
        }
        item.value = value
      }
      return item
    }
  }

  /// Removes the item under a key; returns whether the database removed it.
  @discardableResult
  func remove(key: String) -> Bool {
    section.write(synched: true) {
      guard !key.isEmpty else { return false }
      if kind != .database, let fileName = fileName(ofKey: key) {
        SystemFiles.remove(filePath(fileName))
      }
      return removeRow(key)
    }
  }

  /// Whether there is a row for a key.
  func contains(key: String) -> Bool {
    let count = section.read(synched: true) {
      number("SELECT count(*) FROM manifest WHERE key = ?1", .text(key))
    }
    return (count ?? 0) > 0
  }

  /// How many items there are; -1 if the database fails.
  var count: Int {
    section.read(synched: true) { number("SELECT count(*) FROM manifest") } ?? -1
  }

  /// The bytes of all values together; -1 if the database fails.
  var size: Int {
    section.read(synched: true) { number("SELECT coalesce(sum(size), 0) FROM manifest") } ?? -1
  }

  /// Every item; the value is `nil` if the file is missing.
  func allItems() -> [YYStorageItem] {
    section.read(synched: true) {
      let items = query { database throws(SQLiteError) in
        let row = try database.statement(
          "SELECT key, filename, size, inline_data, last_access_time, extended_data FROM manifest")
        var items: [YYStorageItem] = []
        while try row.step() {
          let fileName = row.text(1)
          items.append(
            YYStorageItem(
              key: row.text(0) ?? "",
              value: fileName.map { SystemFiles.read(filePath($0)) } ?? row.bytes(3),
              fileName: fileName, size: row.number(2), accessTime: row.number(4),
              extendedData: row.bytes(5)))
        }
        return items
      }
      return items ?? []
    }
  }

  /// The names of the files in the folder.
  var fileNames: Set<String> { Set(SystemFiles.names(in: filesPath)) }

  func filePath(_ name: String) -> String { filesPath + "/" + name }

  /// Removes a row but not its file; returns whether the database did.
  @discardableResult
  func removeRow(_ key: String) -> Bool {
    query { database throws(SQLiteError) in
      try database.statement("DELETE FROM manifest WHERE key = ?1", .text(key)).step()
    } != nil
  }

  private func fileName(ofKey key: String) -> String? {
    let found = query { database throws(SQLiteError) in
      let row = try database.statement("SELECT filename FROM manifest WHERE key = ?1", .text(key))
      return try row.step() ? row.text(0) : nil
    }
    return found ?? nil
  }

  private func writeRow(
    _ key: String, _ size: Int, _ fileName: String?, _ value: [UInt8]?, _ extendedData: [UInt8]?
  ) -> Bool {
    query { database throws(SQLiteError) in
      try database.statement(
        "INSERT OR REPLACE INTO manifest (key, filename, size, inline_data, modification_time,"
          + " last_access_time, extended_data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        .text(key), fileName.map(SQLiteValue.text) ?? .null, .number(size),
        value.map(SQLiteValue.bytes) ?? .null, .number(now), .number(now),
        extendedData.map(SQLiteValue.bytes) ?? .null
      ).step()
    } != nil
  }

  /// The number in the only row and column of a statement's result.
  func number(_ sql: String, _ value: SQLiteValue? = nil) -> Int? {
    query { database throws(SQLiteError) in
      let row =
        if let value { try database.statement(sql, value) } else { try database.statement(sql) }
      return try row.step() ? row.number(0) : 0
    }
  }
}
