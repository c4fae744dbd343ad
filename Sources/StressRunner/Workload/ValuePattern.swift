/// The values of a workload, one for each key. All begin differently.
///
/// All values are slices of one run of pseudo-random bytes; the value of key n begins at byte 8 n.
/// A value is thus created by one copy and checked by one comparison, which takes microseconds for
/// 64 KiB even in a debug build. No memory is needed per key.
struct ValuePattern: Sendable {
  private let bytes: [UInt8]
  private let valueBytes: Int

  /// Creates the values of `keys` keys, each `valueBytes` long.
  init(keys: Int, valueBytes: Int) {
    self.valueBytes = valueBytes
    let words = keys + (valueBytes + 7) / 8
    bytes = [UInt8](unsafeUninitializedCapacity: words * 8) { buffer, count in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      for word in 0..<words {
        // Use little-endian words, so that a value's bytes are the same on every machine.
        let value = SplitMix64.mixed(UInt64(word) &+ 1).littleEndian
        raw.storeBytes(of: value, toByteOffset: word * 8, as: UInt64.self)
      }
      count = words * 8
    }
  }

  /// A copy of a key's value.
  func value(ofKey key: Int) -> [UInt8] {
    Array(bytes[range(ofKey: key)])
  }

  /// True if these bytes are exactly a key's value.
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
