import CSQLite

/// The system's SQLite, loaded at run time.
///
/// `@unchecked Sendable`: the table never changes after it is filled.
struct SQLiteLibrary: @unchecked Sendable {
  let functions: UnsafePointer<csqlite_library>

  /// The first of these files that is a library with all needed functions; `nil` if none is.
  ///
  /// - Parameter names: File names in the system's library search path, or paths.
  init?(anyOf names: [String]) {
    for name in names {
      guard let functions = csqlite_load(name) else { continue }
      self.functions = functions
      return
    }
    return nil
  }

  /// The process-wide instance. The environment variable `INTERLOCK_SQLITE` names another file, for
  /// a library in an unusual place.
  static let shared = SQLiteLibrary(
    anyOf: SystemFiles.environment("INTERLOCK_SQLITE").map { [$0] } ?? SQLiteNames.libraries)

  /// What to install if this machine has no SQLite; `nil` if it has.
  static let missing: String? =
    shared == nil ? "needs SQLite: install \(SQLiteNames.package)" : nil

  /// The version, as "3.40.1".
  var version: String { String(cString: functions.pointee.libversion()) }
}
