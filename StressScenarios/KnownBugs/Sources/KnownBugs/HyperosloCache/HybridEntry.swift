import Foundation

/// Until when an object may be used: Expiry.swift of hyperoslo's Cache 7.4.0.
enum HybridExpiry: Sendable, Hashable {
  /// For ever, which is until 2038: a date that every file system can hold.
  case never
  /// This number of seconds from now.
  case seconds(Double)
  /// Until a date.
  case date(Date)

  /// The date at which the object expires.
  var date: Date {
    switch self {
    case .never: Date(timeIntervalSince1970: 60 * 60 * 24 * 365 * 68)
    case .seconds(let seconds): Date(timeIntervalSinceNow: seconds)
    case .date(let date): date
    }
  }

  /// Whether that date has passed.
  var isExpired: Bool { date.timeIntervalSinceNow < 0 }
}

/// An object as a read found it: Entry.swift of hyperoslo's Cache 7.4.0.
struct HybridEntry<Value: Sendable>: Sendable {
  /// The object.
  var object: Value
  /// Until when it may be used.
  var expiry: HybridExpiry
  /// The file that it was read from; `nil` if it came from memory.
  var filePath: String?
}

/// Why a storage could not perform a call: StorageError.swift of hyperoslo's Cache 7.4.0.
enum HybridStorageError: Error, Hashable {
  /// Nothing is stored under that key.
  case notFound
  /// The file has no date.
  case malformedFileAttributes(path: String)
  /// The file does not contain the stored value.
  case decodingFailed(path: String)
  /// The file could not be written. The original ignores that result, and reports the date that it
  /// then cannot set; over an older file it reports nothing.
  case writeFailed(path: String)
  /// The storage was freed before its queue ran the call.
  case deallocated
}

/// How objects become bytes in a file, and back: Transformer.swift of hyperoslo's Cache 7.4.0.
struct HybridTransformer<Value: Sendable>: Sendable {
  /// The bytes of an object.
  var bytes: @Sendable (Value) throws -> [UInt8]
  /// The object of bytes; `nil` if they are damaged.
  var object: @Sendable ([UInt8]) throws -> Value?

  /// Makes a transformer of its two halves.
  init(
    bytes: @escaping @Sendable (Value) throws -> [UInt8],
    object: @escaping @Sendable ([UInt8]) throws -> Value?
  ) {
    self.bytes = bytes
    self.object = object
  }
}

extension HybridTransformer where Value == [UInt8] {
  /// Bytes behind a checksum, which detects a damaged file as the original's JSON decoder does.
  static let checked = HybridTransformer(
    bytes: { value in
      withUnsafeBytes(of: checkSum(of: value).littleEndian) { Array($0) } + value
    },
    object: { bytes in
      let value = Array(bytes.dropFirst(8))
      let sum = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return bytes.count >= 8 && sum == checkSum(of: value) ? value : nil
    })

  /// FNV-1a, 64 bits.
  private static func checkSum(of bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
