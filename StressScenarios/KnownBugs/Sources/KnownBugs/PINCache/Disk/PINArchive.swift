import Foundation

/// The contents of a disk cache's file: an object's bytes, its key, and the cache's metadata.
///
/// The original archives the object alone, and keeps the age limit and the count of uses in
/// extended attributes, which not every file system has: here they are in the head of the file, and
/// are changed in place. A checksum detects a damaged file, for which `NSKeyedUnarchiver` throws an
/// exception.
///
/// A file of a TMCache can be read too: the original's two caches have one format, so that its
/// migration renames and does not write. Such a file has no place for limits and counts.
struct PINArchive {
  /// Why a file could not be read.
  enum Damage: Error { case damaged }

  /// The head's size: a mark, when the file was made, the age limit, the count of uses, the length
  /// of the key, and the checksum.
  static let headSize = 40
  private static let mark: UInt32 = 0x314E_4950  // "PIN1"
  private static let accessCountOffset = 20
  private static let ageLimitOffset = 12

  var key: String
  var created: Date
  var ageLimit: TimeInterval = 0
  var accessCount = 0
  var payload: [UInt8] = []

  /// The whole file.
  var bytes: [UInt8] {
    let key = Array(key.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headSize + key.count + payload.count)
    bytes.append(Self.mark)
    bytes.append(created.timeIntervalSinceReferenceDate.bitPattern)
    bytes.append(ageLimit.bitPattern)
    bytes.append(UInt64(bitPattern: Int64(accessCount)))
    bytes.append(UInt32(truncatingIfNeeded: key.count))
    bytes.append(Self.checksum(key, payload))
    return bytes + key + payload
  }

  init(key: String, created: Date, payload: [UInt8]) {
    self.key = key
    self.created = created
    self.payload = payload
  }

  /// Reads the key and the payload of a whole file of either cache; throws if it is not an archive,
  /// or not whole.
  static func contents(of bytes: [UInt8]) throws -> (key: String, payload: [UInt8]) {
    if let old = try? TMArchive(bytes) { return (old.key, old.value) }
    let archive = try PINArchive(bytes)
    return (archive.key, archive.payload)
  }

  /// The key that the first bytes of a file of either cache contain; `nil` if they are of no
  /// archive.
  static func key(head bytes: [UInt8]) -> String? {
    TMArchive.key(head: bytes) ?? (try? PINArchive(head: bytes))?.key
  }

  /// Reads a whole file of a PINCache; throws if it is not an archive, or not whole.
  init(_ bytes: [UInt8]) throws {
    try self.init(head: bytes)
    let start = Self.headSize + key.utf8.count
    payload = Array(bytes[start...])
    guard bytes.word64(32) == Self.checksum(Array(key.utf8), payload) else { throw Damage.damaged }
  }

  /// Reads the head and the key alone, without the payload.
  init(head bytes: [UInt8]) throws {
    guard bytes.count >= Self.headSize, bytes.word32(0) == Self.mark else { throw Damage.damaged }
    let keyLength = Int(bytes.word32(28))
    guard bytes.count >= Self.headSize + keyLength else { throw Damage.damaged }
    key = String(decoding: bytes[Self.headSize..<(Self.headSize + keyLength)], as: UTF8.self)
    created = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bytes.word64(4)))
    ageLimit = Double(bitPattern: bytes.word64(Self.ageLimitOffset))
    accessCount = Int(Int64(bitPattern: bytes.word64(Self.accessCountOffset)))
  }

  /// Changes the age limit of a file in place.
  static func setAgeLimit(_ ageLimit: TimeInterval, inFileAt path: String) throws {
    try write(ageLimit.bitPattern, at: ageLimitOffset, inFileAt: path)
  }

  /// Changes the count of uses of a file in place.
  static func setAccessCount(_ count: Int, inFileAt path: String) throws {
    try write(UInt64(bitPattern: Int64(count)), at: accessCountOffset, inFileAt: path)
  }

  private static func write(_ word: UInt64, at offset: Int, inFileAt path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    guard let start = try file.read(upToCount: 4), start.count == 4,
      [UInt8](start).word32(0) == mark
    else { return }
    try file.seek(toOffset: UInt64(offset))
    var bytes: [UInt8] = []
    bytes.append(word)
    try file.write(contentsOf: bytes)
  }

  /// FNV-1a over words of eight bytes: enough to detect damage, not forgery.
  static func checksum(_ parts: [UInt8]...) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for part in parts {
      part.withUnsafeBytes { bytes in
        var offset = 0
        while offset + 8 <= bytes.count {
          let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          hash = (hash ^ word) &* 0x100_0000_01B3
          offset += 8
        }
        while offset < bytes.count {
          hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01B3
          offset += 1
        }
      }
      hash = (hash ^ UInt64(part.count)) &* 0x100_0000_01B3
    }
    return hash
  }
}

extension [UInt8] {
  /// Appends a number, lowest byte first.
  fileprivate mutating func append(_ number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate func word32(_ offset: Int) -> UInt32 { word(at: offset) }

  fileprivate func word64(_ offset: Int) -> UInt64 { word(at: offset) }

  private func word<Word: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Word {
    withUnsafeBytes { bytes in
      Word(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Word.self))
    }
  }
}
