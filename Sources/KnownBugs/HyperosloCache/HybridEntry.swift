package import Foundation

/// Until when an object may be used: Expiry.swift of hyperoslo's Cache 7.4.0.
package enum HybridExpiry: Sendable, Hashable {
  /// For ever, which is until 2038: a date that every file system can hold.
  case never
  /// So many seconds from now.
  case seconds(Double)
  /// Until a date.
  case date(Date)

  /// The date that it is.
  package var date: Date {
    switch self {
    case .never: Date(timeIntervalSince1970: 60 * 60 * 24 * 365 * 68)
    case .seconds(let seconds): Date(timeIntervalSinceNow: seconds)
    case .date(let date): date
    }
  }

  /// Whether that date is over.
  package var isExpired: Bool { date.timeIntervalSinceNow < 0 }
}

/// An object as it was found: Entry.swift of hyperoslo's Cache 7.4.0.
package struct HybridEntry<Value: Sendable>: Sendable {
  /// The object.
  package var object: Value
  /// Until when it may be used.
  package var expiry: HybridExpiry
  /// The file that it was read from; `nil` where it came from memory.
  package var filePath: String?
}

/// Why a storage could not do what it was asked for: StorageError.swift of hyperoslo's Cache 7.4.0.
package enum HybridStorageError: Error, Hashable {
  /// Nothing is stored under that key.
  case notFound
  /// The file has no date.
  case malformedFileAttributes(path: String)
  /// The file does not hold what was stored.
  case decodingFailed(path: String)
  /// The file could not be written. The original does not look at that result, and reports the date
  /// that it then cannot set; where an older file is in the place it reports nothing.
  case writeFailed(path: String)
  /// The storage was freed before its queue came to the call.
  case deallocated
}

/// How objects become bytes in a file, and back: Transformer.swift of hyperoslo's Cache 7.4.0.
package struct HybridTransformer<Value: Sendable>: Sendable {
  /// The bytes of an object.
  package var bytes: @Sendable (Value) throws -> [UInt8]
  /// The object of bytes; `nil` where they are damaged.
  package var object: @Sendable ([UInt8]) throws -> Value?

  /// Makes a transformer of its two halves.
  package init(
    bytes: @escaping @Sendable (Value) throws -> [UInt8],
    object: @escaping @Sendable ([UInt8]) throws -> Value?
  ) {
    self.bytes = bytes
    self.object = object
  }
}

extension HybridTransformer where Value == [UInt8] {
  /// Bytes behind a check sum, so that a damaged file is found out, as it is by the original's JSON
  /// decoder.
  package static let checked = HybridTransformer(
    bytes: { value in
      withUnsafeBytes(of: checkSum(of: value).littleEndian) { Array($0) } + value
    },
    object: { bytes in
      let value = Array(bytes.dropFirst(8))
      let sum = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return bytes.count >= 8 && sum == checkSum(of: value) ? value : nil
    })

  /// Fowler, Noll and Vo's, of 64 bits (1a).
  private static func checkSum(of bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
