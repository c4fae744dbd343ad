import CSQLite

/// An error of SQLite: its code and its text.
struct SQLiteError: Error {
  /// The result code; 0 if SQLite was not called.
  var code: Int32
  /// "database is locked", "file is not a database", …
  var message: String

  /// Whether another connection holds a lock. The lower eight bits of a code are its class.
  var isLock: Bool { code & 0xFF == csqlite_busy || code & 0xFF == csqlite_locked }
}

/// One connection to a database file, with its prepared statements. As in YYKVStorage they are kept
/// by their text, and reset only when they are used again.
///
/// The class locks nothing, and opens the connection without SQLite's own mutex, as Apple's systems
/// build their SQLite: its owner must serialize the calls.
final class SQLiteDatabase {
  private let library: SQLiteLibrary
  private var connection: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file, which is created if there is none.
  init(_ path: String, _ library: SQLiteLibrary) throws(SQLiteError) {
    self.library = library
    let flags = csqlite_open_read_write | csqlite_open_create | csqlite_open_no_mutex
    let code = library.functions.pointee.open_v2(path, &connection, Int32(flags), nil)
    if code != 0 || connection == nil {
      let error = SQLiteError(code: code, message: message)
      close()
      throw error
    }
  }

  deinit { close() }

  /// Closes the connection and every statement, finished or not.
  func close() {
    guard let connection else { return }
    for statement in statements.values { _ = library.functions.pointee.finalize(statement) }
    statements = [:]
    _ = library.functions.pointee.close(connection)
    self.connection = nil
  }

  /// Runs statements that return no rows.
  func execute(_ sql: String) throws(SQLiteError) {
    guard let connection else { throw SQLiteError(code: 0, message: "the database is closed") }
    let code = library.functions.pointee.exec(connection, sql, nil, nil, nil)
    guard code == 0 else { throw SQLiteError(code: code, message: message) }
  }

  /// Moves the write-ahead log into the database, as far as readers allow.
  func checkpoint() {
    guard let connection else { return }
    _ = library.functions.pointee.wal_checkpoint(connection, nil)
  }

  /// The statement of this text with these values for `?1`, `?2`, …, ready to step.
  ///
  /// A statement keeps its position until the same text is requested again: a statement that has
  /// returned a row keeps its snapshot of the database, and a write of this connection fails if
  /// another one has written since.
  func statement(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> SQLiteStatement {
    guard let connection else { throw SQLiteError(code: 0, message: "the database is closed") }
    var handle = statements[sql]
    if let handle {
      _ = library.functions.pointee.reset(handle)
    } else {
      let code = library.functions.pointee.prepare_v2(connection, sql, -1, &handle, nil)
      guard code == 0 else { throw SQLiteError(code: code, message: message) }
      statements[sql] = handle
    }
    guard let handle else { throw SQLiteError(code: 0, message: "an empty statement") }
    for (index, value) in values.enumerated() {
      let code = value.bind(to: handle, at: Int32(index + 1), library)
      guard code == 0 else { throw SQLiteError(code: code, message: message) }
    }
    return SQLiteStatement(handle: handle, database: self, library: library)
  }

  /// SQLite's text for the last error.
  fileprivate var message: String {
    guard let text = library.functions.pointee.errmsg(connection) else { return "unknown error" }
    return String(cString: text)
  }
}

/// The value of a parameter.
enum SQLiteValue {
  /// No value.
  case null
  /// A whole number.
  case number(Int)
  /// Text, which may contain zero bytes.
  case text(String)
  /// Bytes.
  case bytes([UInt8])

  fileprivate func bind(
    to statement: OpaquePointer, at index: Int32, _ library: SQLiteLibrary
  ) -> Int32 {
    switch self {
    case .null: return library.functions.pointee.bind_null(statement, index)
    case .number(let number):
      return library.functions.pointee.bind_int64(statement, index, Int64(number))
    case .text(var text):
      return text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(
            library.functions, statement, index, $0.baseAddress, Int32(clamping: $0.count))
        }
      }
    case .bytes(let bytes):
      return bytes.withUnsafeBytes {
        csqlite_bind_blob(
          library.functions, statement, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
  }
}

/// A statement at one of its rows; valid until the same text is requested again.
struct SQLiteStatement {
  fileprivate let handle: OpaquePointer
  fileprivate let database: SQLiteDatabase
  fileprivate let library: SQLiteLibrary

  /// Goes to the next row; returns whether there is one.
  func step() throws(SQLiteError) -> Bool {
    let code = library.functions.pointee.step(handle)
    if code == csqlite_row { return true }
    if code == csqlite_done { return false }
    throw SQLiteError(code: code, message: database.message)
  }

  /// A column of the row, from 0, as a number.
  func number(_ column: Int32) -> Int {
    Int(library.functions.pointee.column_int64(handle, column))
  }

  /// A column of the row as text; `nil` if there is no value.
  func text(_ column: Int32) -> String? {
    guard let start = library.functions.pointee.column_text(handle, column) else { return nil }
    let count = Int(library.functions.pointee.column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A column of the row as bytes; `nil` if there are none.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard let start = library.functions.pointee.column_blob(handle, column) else { return nil }
    let count = Int(library.functions.pointee.column_bytes(handle, column))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}
