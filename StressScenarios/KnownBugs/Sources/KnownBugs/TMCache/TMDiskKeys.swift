internal import Foundation

/// File names for keys, and back.
///
/// Follows `encodedString:` and `decodedString:` of TMDiskCache.m (TMCache 2.1.0): percent escapes
/// for what a URL cannot contain, and for `.`, `:` and `/`. Two things are added. The original
/// refuses the empty key, and the file system refuses a name of more than 255 bytes, so that the
/// object is never on the disk (its issue 91). Here the empty key has a special name, and a long
/// key has the beginning of its name and a hash, with the key itself in the file.
enum TMDiskKeys {
  /// The longest name that file systems accept.
  static let longestName = 255
  /// Marks names from which the key cannot be decoded; no escaped name contains it.
  static let mark: Character = "#"
  private static let empty = "#"

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")

  static func fileName(for key: String) -> String {
    if key.isEmpty { return empty }
    let escaped = key.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    // A string that cannot be escaped gives an empty name; the hash distinguishes such keys.
    if !escaped.isEmpty, escaped.utf8.count <= longestName { return escaped }
    return escaped.prefix(200) + "\(mark)" + hash(key)
  }

  /// The key that a file name encodes; `nil` if only the file has it, or the file is not the
  /// cache's.
  static func key(for fileName: String) -> String? {
    if fileName == empty { return "" }
    return fileName.contains(mark) ? nil : fileName.removingPercentEncoding
  }

  /// FNV-1a in 64 bits. Two keys of one hash overwrite each other's file, but a read compares the
  /// key.
  private static func hash(_ key: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
