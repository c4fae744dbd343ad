import CSQLite
import Foundation

/// The system's SQLite, loaded at run time.
///
/// `@unchecked Sendable`: the table never changes after it is filled.
struct SQLiteLibrary: @unchecked Sendable {
  #if canImport(Darwin)
  private static let names = ["/usr/lib/libsqlite3.dylib"]
  private static let package = "a system with /usr/lib/libsqlite3.dylib"
  #else
  private static let names = ["libsqlite3.so.0", "libsqlite3.so"]
  private static let package = "libsqlite3-0 (Debian, Ubuntu) or sqlite-libs (Fedora)"
  #endif

  let functions: UnsafePointer<csqlite_library>

  /// The first of these files, by name or path, that is a library with all needed functions; `nil`
  /// if none is.
  init?(anyOf names: [String]) {
    guard let functions = names.lazy.compactMap({ csqlite_load($0) }).first else { return nil }
    self.functions = functions
  }

  /// The process-wide instance. The environment variable `INTERLOCK_SQLITE` names another file, for
  /// a library in an unusual place.
  static let shared = SQLiteLibrary(
    anyOf: ProcessInfo.processInfo.environment["INTERLOCK_SQLITE"].map { [$0] } ?? names)

  /// The package to install if this machine has no SQLite; `nil` if it has.
  static let missing: String? = shared == nil ? "needs SQLite: install \(package)" : nil
}
