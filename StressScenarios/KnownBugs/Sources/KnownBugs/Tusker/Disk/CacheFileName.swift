/// The name of the file that a key has in the cache's folder.
///
/// Lower-case letters, digits, `-`, `_` and, except in the first place, `.` stand for themselves;
/// every other byte is `%` and two hexadecimal digits. So no name is a path or hidden, and no two
/// keys have one name in a file system without case. A name that would be too long is `~`, the
/// key's digest and its path extension, by which the system knows an image's format; the empty
/// key's is `%`.
struct CacheFileName: Hashable {
  /// The longest name that common file systems accept, less the prefix of an atomic write.
  private static let longest = 200
  private static let longestExtension = 16

  let name: String

  init(key: String) {
    var encoded: [UInt8] = []
    for byte in key.utf8 {
      if Self.standsForItself(byte, first: encoded.isEmpty) {
        encoded.append(byte)
      } else {
        encoded.append(UInt8(ascii: "%"))
        encoded.append(Self.digit(byte >> 4))
        encoded.append(Self.digit(byte & 15))
      }
      if encoded.count > Self.longest { break }
    }
    if encoded.count > Self.longest {
      name = "~" + KeyDigest.hexadecimal(key) + Self.extension(of: key)
    } else if encoded.isEmpty {
      name = "%"
    } else {
      name = String(decoding: encoded, as: UTF8.self)
    }
  }

  private static func standsForItself(_ byte: UInt8, first: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    case UInt8(ascii: "."): !first
    default: false
    }
  }

  /// The key's path extension with its dot, in lower case: read from the text alone, as
  /// `NSString`'s `pathExtension`, while a file URL would ask the file system. Empty unless it is
  /// of a few letters and digits, as a URL's with a query is not.
  private static func `extension`(of key: String) -> String {
    let component = key.utf8.split(separator: UInt8(ascii: "/")).last ?? key.utf8[...]
    guard let dot = component.lastIndex(of: UInt8(ascii: ".")), dot > component.startIndex else {
      return ""
    }
    let bytes = component[component.index(after: dot)...]
    guard (1...longestExtension).contains(bytes.count) else { return "" }
    let text = String(decoding: bytes, as: UTF8.self).lowercased()
    let isPlain = text.utf8.allSatisfy { standsForItself($0, first: true) }
    return isPlain ? "." + text : ""
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
