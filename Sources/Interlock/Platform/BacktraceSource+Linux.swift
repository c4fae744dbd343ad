#if os(Linux)
/// Return addresses in a form from which `Runtime.Backtrace` can be decoded: the architecture, and
/// the addresses in the Compact Backtrace Format (swift `docs/CompactBacktraceFormat.md`), in base
/// 64.
struct BacktraceSource: Decoder {
  fileprivate let values: [String: String]

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(architecture: String, addresses: [UInt]) {
    // Encode version 1 of the format for 64-bit addresses, then each absolute return address in 8
    // bytes, then the end mark.
    var bytes: [UInt8] = [0x02]
    for address in addresses {
      bytes.append(0x2F)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: UInt64(address) >> UInt64(shift)))
      }
    }
    bytes.append(0)
    values = ["architecture": architecture, "backtrace": Self.base64(bytes)]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(BacktraceFields<Key>(values: values))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw BacktraceFieldMissing() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw BacktraceFieldMissing()
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let padded = Array(group) + Array(repeating: 0, count: 3 - group.count)
      let value = padded.reduce(0) { $0 << 8 | Int($1) }
      for position in 0..<4 {
        text.append(position <= group.count ? alphabet[value >> (18 - 6 * position) & 63] : "=")
      }
    }
    return text
  }
}

private struct BacktraceFieldMissing: Error {}

/// The fields of a `BacktraceSource`, all strings.
private struct BacktraceFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [String: String]

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { values.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let value = values[key.stringValue] as? T else { throw BacktraceFieldMissing() }
    return value
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw BacktraceFieldMissing() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw BacktraceFieldMissing()
  }
  func superDecoder() throws -> any Decoder { throw BacktraceFieldMissing() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw BacktraceFieldMissing() }
}
#endif
