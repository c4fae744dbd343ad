/// The values of a workload: each key has one, and no two keys' values begin alike.
///
/// All of them are stretches of one run of pseudo-random bytes, key n's from the n-th eight bytes
/// on. So a value is made by one copy and checked by one comparison, which takes microseconds for
/// 64 KiB in a debug build too, and nothing is stored for a key.
struct ValuePattern: Sendable {
  private let bytes: [UInt8]
  private let valueBytes: Int

  /// The values of `keys` keys, `valueBytes` long.
  init(keys: Int, valueBytes: Int) {
    self.valueBytes = valueBytes
    let words = keys + (valueBytes + 7) / 8
    bytes = [UInt8](unsafeUninitializedCapacity: words * 8) { buffer, count in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      for word in 0..<words {
        // Little-endian everywhere, so that a seed's bytes are the same on every machine.
        let value = SplitMix64.mixed(UInt64(word) &+ 1).littleEndian
        raw.storeBytes(of: value, toByteOffset: word * 8, as: UInt64.self)
      }
      count = words * 8
    }
  }

  /// A fresh copy of a key's value.
  func value(ofKey key: Int) -> [UInt8] {
    Array(bytes[range(ofKey: key)])
  }

  /// Whether these are all the bytes of a key's value, and nothing else.
  func isValue(_ candidate: [UInt8], ofKey key: Int) -> Bool {
    guard candidate.count == valueBytes else { return false }
    return bytes.withUnsafeBytes { pattern in
      candidate.withUnsafeBytes { found in
        areEqual(UnsafeRawBufferPointer(rebasing: pattern[range(ofKey: key)]), found)
      }
    }
  }

  private func range(ofKey key: Int) -> Range<Int> {
    key * 8..<key * 8 + valueBytes
  }
}
