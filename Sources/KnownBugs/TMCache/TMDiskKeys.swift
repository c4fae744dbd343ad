internal import Foundation

/// File names for keys, and back.
///
/// Follows `encodedString:` and `decodedString:` of TMDiskCache.m (TMCache 2.1.0): percent escapes
/// for what a URL cannot have, and for `.`, `:` and `/`. Two things are added. The original refuses
/// the empty key, and lets the file system refuse a name of more than 255 bytes, so that the object
/// is never on the disk (its issue 91); here the one has a name of its own, and the other the
/// beginning of its name and a hash, with the key itself in the file.
enum TMDiskKeys {
  /// More, and a file system refuses it.
  static let longestName = 255
  /// What no escape leaves in a name: it marks names that do not tell the key.
  static let mark: Character = "#"
  private static let empty = "#"

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")

  static func fileName(for key: String) -> String {
    if key.isEmpty { return empty }
    let escaped = key.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    // A string that cannot be escaped has no characters of its own either; the hash tells them
    // apart.
    if !escaped.isEmpty, escaped.utf8.count <= longestName { return escaped }
    return escaped.prefix(200) + "\(mark)" + hash(key)
  }

  /// The key that a file name tells by itself; `nil` where the file must be asked, or is none of
  /// ours.
  static func key(for fileName: String) -> String? {
    if fileName == empty { return "" }
    return fileName.contains(mark) ? nil : fileName.removingPercentEncoding
  }

  /// FNV-1a in 64 bits. Two keys of one hash take each other's file, and each sees that it is not
  /// its own.
  private static func hash(_ key: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
