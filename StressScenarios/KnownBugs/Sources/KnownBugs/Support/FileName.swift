import Foundation

/// The names of caches' files, and of their directories.
enum FileName {
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")

  /// Percent-escapes everything in a key but letters, digits, `-`, `_` and `~`, so that no name
  /// leads out of its directory, or is empty.
  static func escaping(_ key: String) -> String {
    key.isEmpty ? "%" : key.addingPercentEncoding(withAllowedCharacters: plain) ?? "%"
  }

  /// The key of an escaped name.
  static func key(of name: String) -> String? { name.removingPercentEncoding }
}
