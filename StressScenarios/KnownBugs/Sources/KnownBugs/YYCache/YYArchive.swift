/// The form of a value on disk: a mark, its length and a checksum precede it.
///
/// It replaces the keyed archive that YYDiskCache makes of an object: it is never empty, and
/// damaged bytes give no value.
enum YYArchive {
  private static let mark: [UInt8] = Array("YYA1".utf8)
  private static let headerSize = 12

  /// Encodes a value.
  static func archive(_ value: [UInt8]) -> [UInt8] {
    var bytes = mark
    bytes.reserveCapacity(headerSize + value.count)
    append(UInt32(truncatingIfNeeded: value.count), to: &bytes)
    append(checksum(value[...]), to: &bytes)
    bytes += value
    return bytes
  }

  /// Decodes a value; `nil` if the bytes are damaged.
  static func unarchive(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= headerSize, bytes[..<4].elementsEqual(mark) else { return nil }
    let value = bytes[headerSize...]
    guard number(at: 4, in: bytes) == UInt32(truncatingIfNeeded: value.count),
      number(at: 8, in: bytes) == checksum(value)
    else { return nil }
    return Array(value)
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in [0, 8, 16, 24] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private static func number(at index: Int, in bytes: [UInt8]) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << UInt32(8 * $1) }
  }

  /// FNV-1a over whole words where possible, so that a debug build reads 30 KB fast.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { buffer in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      let wordCount = buffer.count / 8
      for word in 0..<wordCount {
        let value = buffer.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)
        hash = (hash ^ UInt64(littleEndian: value)) &* 0x100_0000_01B3
      }
      for index in (8 * wordCount)..<buffer.count {
        hash = (hash ^ UInt64(buffer[index])) &* 0x100_0000_01B3
      }
      return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
  }
}
