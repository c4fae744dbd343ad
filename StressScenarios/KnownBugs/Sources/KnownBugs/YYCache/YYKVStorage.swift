import Dispatch
import Interlock

/// Why a disk cache cannot be made.
enum YYStorageError: Error, CustomStringConvertible {
  /// The machine has no SQLite.
  case noSQLite(String)
  /// A folder cannot be made or written.
  case folder(path: String, reason: String)
  /// The database cannot be opened, and neither can a new one in its place.
  case database(path: String, reason: String)

  /// One line for the user.
  var description: String {
    switch self {
    case .noSQLite(let reason): reason
    case .folder(let path, let reason): "cannot use the folder '\(path)': \(reason)"
    case .database(let path, let reason): "cannot open the database '\(path)': \(reason)"
    }
  }
}

/// Where YYKVStorage keeps values.
enum YYStorageKind: Sendable {
  /// In files, with a row in the database for each.
  case files
  /// In the database.
  case database
  /// In either, as each `save` says.
  case mixed
}

/// A stored item.
struct YYStorageItem: Sendable, Hashable {
  var key: String
  /// The value; `nil` if it was not read.
  var value: [UInt8]?
  /// The name of the file that the value is in; `nil` if it is in the database.
  var fileName: String?
  var size: Int
  /// Seconds since 1970.
  var accessTime: Int
  var extendedData: [UInt8]?
}

/// The storage of YYCache 1.0.4: values by key, in an SQLite database or in files beside it.
///
/// It follows YYKVStorage.m: `saveItemWithKey:value:filename:extendedData:`, `getItemForKey:`,
/// `removeItemForKey:`, `removeItemsToFitSize:`, `removeAllItems` and those below them; write-ahead
/// log, statements kept prepared, files written in place, access times in whole seconds, a trash
/// folder that is emptied on a queue. As there, a result reports errors of the database, and the
/// cache above ignores it.
///
/// It locks nothing: its owner must serialize the calls, as the original's header says (its issue
/// 29 shows what concurrent reads do). Its sections detect an owner that does not.
final class YYKVStorage {
  /// How many times opening is tried again after a failure.
  private static let mostRetries = 8
  /// The least number of seconds between two attempts to open.
  private static let retrySeconds = 2.0

  let kind: YYStorageKind
  let path: String
  let section = Section("yykvstorage")
  private let library: SQLiteLibrary
  private let lockMilliseconds: Int
  private let clock: @Sendable () -> Int
  private let trashQueue = DispatchQueue(label: "yykvstorage.trash")

  private var database: SQLiteDatabase?
  private var failureCount = 0
  private var failureTime = 0.0
  /// The database's text for the last failed call, as "database is locked".
  private(set) var lastError: String? {
    didSet { if logsErrors, let lastError { log(lastError) } }
  }
  /// Whether each of these texts is logged.
  var logsErrors = true
  private let log: @Sendable (String) -> Void
  /// Whether the cause was another connection's lock.
  private var isLocked = false

  var databasePath: String { path + "/manifest.sqlite" }
  var filesPath: String { path + "/data" }
  var trashPath: String { path + "/trash" }

  /// Opens the storage in a folder, which is made if it is missing.
  ///
  /// A damaged database is deleted with all its files, as the original does.
  /// - Parameters:
  ///   - path: The folder.
  ///   - kind: Where values are kept.
  ///   - lockMilliseconds: How long a call waits for a database that another connection has locked;
  ///     above 0, one that is still locked then is not treated as damaged.
  ///   - library: SQLite; `nil` makes this fail.
  ///   - log: Called with the database's errors.
  ///   - clock: Seconds since 1970, for access times.
  /// - Throws: If there is no SQLite, or the folder or the database cannot be used.
  init(
    _ path: String, _ kind: YYStorageKind, lockMilliseconds: Int = 0,
    library: SQLiteLibrary? = .shared, log: @escaping @Sendable (String) -> Void = { _ in },
    clock: @escaping @Sendable () -> Int = { SystemTime.seconds }
  ) throws(YYStorageError) {
    guard let library else {
      throw .noSQLite(SQLiteLibrary.missing ?? "needs SQLite: install \(SQLiteNames.package)")
    }
    self.path = path
    self.kind = kind
    self.library = library
    self.lockMilliseconds = lockMilliseconds
    self.log = log
    self.clock = clock
    do throws(SystemFiles.Failure) {
      try SystemFiles.makeFolder(filesPath)
      try SystemFiles.makeFolder(trashPath)
    } catch {
      throw .folder(path: path, reason: error.message)
    }
    if !open() {
      // As shipped, a database that is only locked is deleted too.
      if lockMilliseconds == 0 || !isLocked { reset() }
      guard open() else {
        throw .database(path: databasePath, reason: lastError ?? "unknown error")
      }
    }
    emptyTrash()
  }

  deinit { close() }

  /// The current time, in seconds as access times have.
  var now: Int { clock() }

  /// Opens the database and makes its table; returns whether both were done.
  func open() -> Bool {
    if database != nil { return true }
    do throws(SQLiteError) {
      let opened = try SQLiteDatabase(databasePath, library)
      try opened.execute("PRAGMA busy_timeout = \(lockMilliseconds)")
      try opened.execute(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS manifest (
          key TEXT PRIMARY KEY, filename TEXT, size INTEGER, inline_data BLOB,
          modification_time INTEGER, last_access_time INTEGER, extended_data BLOB);
        CREATE INDEX IF NOT EXISTS last_access_time_idx ON manifest(last_access_time);
        """)
      database = opened
      failureCount = 0
      return true
    } catch {
      lastError = error.message
      isLocked = error.isLock
      failureCount += 1
      failureTime = SystemTime.uptime
      return false
    }
  }

  /// Closes the database; the next call that needs it opens it again.
  func close() {
    database?.close()
    database = nil
  }

  /// Runs `body` on the database, which is opened again if an error closed it a while ago.
  ///
  /// - Returns: The result of `body`; `nil` if the database is closed or fails: `lastError` has
  ///   the reason.
  func query<R>(_ body: (SQLiteDatabase) throws(SQLiteError) -> R) -> R? {
    if database == nil {
      guard failureCount < Self.mostRetries,
        SystemTime.uptime - failureTime > Self.retrySeconds, open()
      else { return nil }
    }
    guard let database else { return nil }
    do throws(SQLiteError) {
      return try body(database)
    } catch {
      lastError = error.message
      return nil
    }
  }

  /// Deletes the closed database, moves the files to the trash, and empties that later.
  func reset() {
    for suffix in ["", "-wal", "-shm"] { SystemFiles.remove(databasePath + suffix) }
    // The move fails if the trash already has the name.
    var number = 0
    while !SystemFiles.move(filesPath, to: trashPath + "/\(now)-\(number)"), number < 1000 {
      number += 1
    }
    try? SystemFiles.makeFolder(filesPath)
    emptyTrash()
  }

  /// Removes the contents of the trash, on a queue.
  private func emptyTrash() {
    let trashPath = trashPath
    trashQueue.async {
      for folder in SystemFiles.names(in: trashPath) {
        let folderPath = trashPath + "/" + folder
        for name in SystemFiles.names(in: folderPath) {
          SystemFiles.remove(folderPath + "/" + name)
        }
        SystemFiles.removeFolder(folderPath)
      }
    }
  }

  /// Returns when the trash has been emptied.
  func waitForTrash() {
    trashQueue.sync {}
  }
}
