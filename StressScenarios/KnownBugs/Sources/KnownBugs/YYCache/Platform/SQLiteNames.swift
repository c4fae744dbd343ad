/// Where SQLite's library is on this platform, and which package provides it.
enum SQLiteNames {
  #if canImport(Darwin)
  /// The library's file names, the likeliest first.
  static let libraries = ["/usr/lib/libsqlite3.dylib"]
  /// Which package has it.
  static let package = "a system with /usr/lib/libsqlite3.dylib"
  #else
  /// The library's file names, the likeliest first.
  static let libraries = ["libsqlite3.so.0", "libsqlite3.so"]
  /// Which package has it.
  static let package = "libsqlite3-0 (Debian, Ubuntu) or sqlite-libs (Fedora)"
  #endif
}
