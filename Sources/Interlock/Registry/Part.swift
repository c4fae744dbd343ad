/// A part of a resource, as whoever marks it names it: a key, an index, a row.
///
/// Two are one part where their values are equal; their hashes, which may collide, only tell them apart quickly.
final class Part: @unchecked Sendable {
  // Unchecked: `AnyHashable` is not Sendable, but what it holds here is, and nobody changes it.
  let value: AnyHashable
  let hash: UInt64

  /// The longest text of a part in a report, in characters.
  private static let longestText = 100

  init(_ value: some Hashable & Sendable) {
    self.value = AnyHashable(value)
    hash = UInt64(truncatingIfNeeded: UInt(bitPattern: self.value.hashValue))
  }

  /// Whether both name the same part. Calls the `==` of the user's type.
  func isSame(as other: Part) -> Bool { hash == other.hash && value == other.value }

  /// The part for people.
  var text: String {
    let text = String(describing: value.base)
    return text.count <= Self.longestText ? text : text.prefix(Self.longestText) + "…"
  }

  /// The part that a record owns, by its address there; 0 is none.
  static func at(_ address: UInt) -> Part? {
    UnsafeRawPointer(bitPattern: address)
      .map { Unmanaged<Part>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Gives a record a part to own.
  static func retain(_ part: Part?) -> UInt {
    part.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
  }

  /// Takes it from the record that owned it.
  static func release(_ address: UInt) {
    if let pointer = UnsafeRawPointer(bitPattern: address) {
      Unmanaged<Part>.fromOpaque(pointer).release()
    }
  }
}
