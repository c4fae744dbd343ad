/// The contents of a file: a value behind a checksum, which detects a damaged file as the
/// originals' decoders do. Never empty.
enum Archive {
  static func bytes(of value: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: checksum(value[...]).littleEndian) { Array($0) } + value
  }

  /// The value; `nil` if the bytes are damaged.
  static func value(in bytes: [UInt8]) -> [UInt8]? {
    let value = bytes.dropFirst(8)
    let sum = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return bytes.count >= 8 && sum == checksum(value) ? Array(value) : nil
  }

  /// FNV-1a over whole words where possible, so that a debug build reads a long value fast.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { buffer in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      let words = buffer.count / 8
      for word in 0..<words {
        let value = buffer.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)
        hash = (hash ^ UInt64(littleEndian: value)) &* 0x100_0000_01B3
      }
      for index in (8 * words)..<buffer.count {
        hash = (hash ^ UInt64(buffer[index])) &* 0x100_0000_01B3
      }
      return hash
    }
  }
}
