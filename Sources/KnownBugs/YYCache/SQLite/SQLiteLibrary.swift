import CSQLite

/// The system's SQLite, found when the program runs.
///
/// `@unchecked Sendable`: the table is never changed after it was filled.
package struct SQLiteLibrary: @unchecked Sendable {
  let functions: UnsafePointer<csqlite_library>

  /// The first of these files that is a library with all that is needed; `nil` where none is.
  ///
  /// - Parameter names: File names that the system looks for where it looks for libraries, or
  ///   paths.
  package init?(anyOf names: [String]) {
    for name in names {
      guard let functions = csqlite_load(name) else { continue }
      self.functions = functions
      return
    }
    return nil
  }

  /// The one that everybody shares. `INTERLOCK_SQLITE` in the environment names another file, where
  /// the system's own is in an unusual place.
  static let shared = SQLiteLibrary(
    anyOf: SystemFiles.environment("INTERLOCK_SQLITE").map { [$0] } ?? SQLiteNames.libraries)

  /// What to install, where this machine has no SQLite; `nil` where it has.
  package static let missing: String? =
    shared == nil ? "needs SQLite: install \(SQLiteNames.package)" : nil

  /// The version, as "3.40.1".
  package var version: String { String(cString: functions.pointee.libversion()) }
}
