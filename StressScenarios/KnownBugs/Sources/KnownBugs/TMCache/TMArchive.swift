/// Encodes an object as an archive, and decodes it: what `NSCoding` is to TMDiskCache.
///
/// Both are called where the original (un)archives: on the process's one disk queue as shipped, so
/// that an object that calls the cache while it is decoded deadlocks (issue 94).
package struct TMArchiver: Sendable {
  /// Encodes an object.
  package var encode: @Sendable ([UInt8]) throws -> [UInt8]
  /// Decodes an object.
  package var decode: @Sendable ([UInt8]) throws -> [UInt8]

  /// An archiver of two functions; by default an object is its bytes.
  package init(
    encode: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 },
    decode: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
  ) {
    self.encode = encode
    self.decode = decode
  }
}

/// Why a file is not an archive of the cache.
enum TMArchiveDamage: Error {
  case notAnArchive
  case cutShort
  case checksum
}

/// The file of one object: a mark, the lengths of key and value, a checksum, the key, the value.
struct TMArchive {
  var key: String
  var value: [UInt8]

  private static let mark: UInt64 = 0x3145_4843_4143_4d54
  static let headerLength = 32

  var bytes: [UInt8] {
    let name = Array(key.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerLength + name.count + value.count)
    let words = [
      Self.mark, UInt64(name.count), UInt64(value.count), Self.checksum(name, value),
    ]
    for word in words { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    return bytes + name + value
  }

  init(key: String, value: [UInt8]) {
    self.key = key
    self.value = value
  }

  /// Reads an archive; throws if it is not whole and unaltered.
  init(_ bytes: [UInt8]) throws(TMArchiveDamage) {
    guard bytes.count >= Self.headerLength, Self.word(0, of: bytes) == Self.mark else {
      throw .notAnArchive
    }
    let rest = UInt64(bytes.count - Self.headerLength)
    let nameLength = Self.word(1, of: bytes)
    guard nameLength <= rest, Self.word(2, of: bytes) == rest - nameLength else { throw .cutShort }
    let body = bytes[Self.headerLength...]
    let name = Array(body.prefix(Int(nameLength)))
    value = Array(body.dropFirst(Int(nameLength)))
    guard Self.word(3, of: bytes) == Self.checksum(name, value) else { throw .checksum }
    key = String(decoding: name, as: UTF8.self)
  }

  /// The key that the first bytes of a whole archive contain; `nil` if they are of no archive.
  static func key(head bytes: [UInt8]) -> String? {
    guard bytes.count >= headerLength, word(0, of: bytes) == mark else { return nil }
    let length = word(1, of: bytes)
    guard length <= UInt64(bytes.count - headerLength) else { return nil }
    return String(decoding: bytes[headerLength...].prefix(Int(length)), as: UTF8.self)
  }

  private static func word(_ index: Int, of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
  }

  /// A sum that changes with any byte; eight bytes at a time, because tests run it unoptimised.
  private static func checksum(_ parts: [UInt8]...) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      part.withUnsafeBytes { bytes in
        var offset = 0
        while offset + 8 <= bytes.count {
          let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          sum = (sum ^ UInt64(littleEndian: word)) &* 0x100_0000_01b3
          sum ^= sum >> 32
          offset += 8
        }
        while offset < bytes.count {
          sum = (sum ^ UInt64(bytes[offset])) &* 0x100_0000_01b3
          offset += 1
        }
      }
    }
    return sum
  }
}
