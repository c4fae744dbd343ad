import Dispatch
import Foundation
import Interlock

/// Why a disk cache cannot be made, in one line for the user.
struct YYStorageError: Error, CustomStringConvertible {
  var description: String
}

struct YYStorageItem: Sendable {
  var key: String
  /// The value; `nil` if it was not read.
  var value: [UInt8]?
  /// The name of the file that the value is in; `nil` if it is in the database.
  var fileName: String?
  var size: Int
}

/// The storage of YYCache 1.0.4: values by key, in an SQLite database or in files beside it.
///
/// The model follows YYKVStorage.m: write-ahead log, statements kept prepared, files written in
/// place, access times in whole seconds, a trash folder that is emptied on a queue. As there, a
/// result reports errors of the database, and the cache above ignores it.
///
/// The storage locks nothing: its owner must serialize the calls, as the original's header says
/// (its issue 29 shows what concurrent reads do). Its sections detect an owner that does not.
final class YYKVStorage {
  let path: String
  let section = Section("yykvstorage")
  private let library: SQLiteLibrary
  private let lockMilliseconds: Int
  private let trashQueue = DispatchQueue(label: "yykvstorage.trash")

  private var database: SQLiteDatabase?
  /// The database's text for the last failed call, as "database is locked".
  private(set) var lastError: String? {
    didSet { if logsErrors, let lastError { log(lastError) } }
  }
  /// Whether each of these texts is logged.
  var logsErrors = true
  private let log: @Sendable (String) -> Void

  private var databasePath: String { path + "/manifest.sqlite" }
  private var filesPath: String { path + "/data" }
  private var trashPath: String { path + "/trash" }

  /// Opens the storage in a folder, which is made if it is missing.
  ///
  /// A damaged database is deleted with all its files, as the original does; as shipped also one
  /// that is only locked. A call waits for a database that another connection has locked for
  /// `lockMilliseconds`; above 0, one that is still locked then is not treated as damaged.
  init(
    _ path: String, lockMilliseconds: Int = 0,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(YYStorageError) {
    guard let library = SQLiteLibrary.shared else {
      throw YYStorageError(description: SQLiteLibrary.missing ?? "")
    }
    self.path = path
    self.library = library
    self.lockMilliseconds = lockMilliseconds
    self.log = log
    makeFolder(filesPath)
    makeFolder(trashPath)
    if let error = open() {
      if lockMilliseconds == 0 || !error.isLock { reset() }
      if let error = open() {
        throw YYStorageError(
          description: "cannot open the database '\(databasePath)': \(error.message)")
      }
    }
  }

  deinit { close() }

  private func makeFolder(_ path: String) {
    // Ignore an error: the database cannot be opened then.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Opens the database and makes its table; returns an error.
  func open() -> SQLiteError? {
    do throws(SQLiteError) {
      let opened = try SQLiteDatabase(databasePath, library)
      try opened.execute("PRAGMA busy_timeout = \(lockMilliseconds)")
      try opened.execute(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS manifest (
          key TEXT PRIMARY KEY, filename TEXT, size INTEGER, inline_data BLOB,
          modification_time INTEGER, last_access_time INTEGER);
        CREATE INDEX IF NOT EXISTS last_access_time_idx ON manifest(last_access_time);
        """)
      database = opened
      return nil
    } catch {
      lastError = error.message
      return error
    }
  }

  func close() {
    database?.close()
    database = nil
  }

  /// Runs `body` on the database; returns `nil` if it fails: `lastError` has the reason.
  func query<R>(_ body: (SQLiteDatabase) throws(SQLiteError) -> R) -> R? {
    guard let database else { return nil }
    do throws(SQLiteError) {
      return try body(database)
    } catch {
      lastError = error.message
      return nil
    }
  }

  /// Deletes the closed database, moves the files to the trash, and empties that later, on a queue.
  func reset() {
    for suffix in ["", "-wal", "-shm"] { unlink(databasePath + suffix) }
    rename(filesPath, trashPath + "/" + UUID().uuidString)
    makeFolder(filesPath)
    let trashPath = trashPath
    trashQueue.async {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: trashPath)) ?? [] {
        try? FileManager.default.removeItem(atPath: trashPath + "/" + name)
      }
    }
  }

  // MARK: One item at a time

  /// Stores a value, in a file if a name is given, else in the database; returns whether it did.
  ///
  /// File and row are not written atomically: another storage on the same folder may see one
  /// without the other.
  @discardableResult
  func save(key: String, value: [UInt8], fileName: String? = nil) -> Bool {
    section.write(synched: true) {
      guard let fileName else {
        if let old = self.fileName(ofKey: key) {
          unlink(filePath(old))
          SYNC_POINT("yykvstorage.save.oldFileRemoved")
        }
        return writeRow(key, value.count, nil, value)
      }
      // In place, as the original does: another reader may see none or only a part of the value.
      let isWritten =
        (try? Data(value).write(to: URL(fileURLWithPath: filePath(fileName)))) != nil
      SYNC_POINT("yykvstorage.save.fileWritten")
      if isWritten, writeRow(key, value.count, fileName, nil) { return true }
      unlink(filePath(fileName))
      return false
    }
  }

  /// The item under a key; notes the access. A row whose file is missing is removed.
  func item(forKey key: String) -> YYStorageItem? {
    section.write(synched: true) {
      let found = query { database throws(SQLiteError) in
        let row = try database.statement(
          "SELECT filename, size, inline_data FROM manifest WHERE key = ?1", .text(key))
        guard try row.step() else { return YYStorageItem?.none }
        return YYStorageItem(
          key: key, value: row.bytes(2), fileName: row.text(0), size: row.number(1))
      }
      guard var item = found ?? nil else { return nil }
      _ = query { database throws(SQLiteError) in
        try database.statement(
          "UPDATE manifest SET last_access_time = ?1 WHERE key = ?2", .number(time(nil)), .text(key)
        ).step()
      }
      if let fileName = item.fileName {
        guard let value = read(fileName) else {
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
      if let fileName = fileName(ofKey: key) { unlink(filePath(fileName)) }
      return removeRow(key)
    }
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
    section.read(synched: true) { items("SELECT key, filename, size, inline_data FROM manifest") }
      .map { item in
        var item = item
        if let fileName = item.fileName { item.value = read(fileName) }
        return item
      }
  }

  var fileNames: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: filesPath)) ?? [])
  }

  func filePath(_ name: String) -> String { filesPath + "/" + name }

  private func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: filePath(name)).map { [UInt8]($0) }
  }

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
    _ key: String, _ size: Int, _ fileName: String?, _ value: [UInt8]?
  ) -> Bool {
    query { database throws(SQLiteError) in
      try database.statement(
        "INSERT OR REPLACE INTO manifest (key, filename, size, inline_data, modification_time,"
          + " last_access_time) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        .text(key), fileName.map(SQLiteValue.text) ?? .null, .number(size),
        value.map(SQLiteValue.bytes) ?? .null, .number(time(nil)), .number(time(nil))
      ).step()
    } != nil
  }

  /// The number in the only row and column of a statement's result.
  func number(_ sql: String) -> Int? {
    query { database throws(SQLiteError) in
      let row = try database.statement(sql)
      return try row.step() ? row.number(0) : 0
    }
  }

  /// The items of a statement's rows: key, file, size and value.
  func items(_ sql: String) -> [YYStorageItem] {
    query { database throws(SQLiteError) in
      let row = try database.statement(sql)
      var items: [YYStorageItem] = []
      while try row.step() {
        items.append(
          YYStorageItem(
            key: row.text(0) ?? "", value: row.bytes(3), fileName: row.text(1),
            size: row.number(2)))
      }
      return items
    } ?? []
  }
}
