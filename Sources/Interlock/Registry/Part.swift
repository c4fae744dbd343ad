/// A part of a resource, as whoever marks it names it: a key, an index, a row.
///
/// Two are one part where their types are one and their values equal; their hashes, which may
/// collide, only tell them apart quickly. Not an `AnyHashable`, which asks the runtime for a
/// conformance each time it is made.
class Part: @unchecked Sendable {
  // Unchecked: it has subclasses, of which `PartOf` is the only one; both have nothing that
  // changes.
  let hash: UInt64

  /// The longest text of a part in a report, in characters.
  private static let longestText = 100

  init(hash: Int) { self.hash = UInt64(UInt(bitPattern: hash)) }

  /// The part by a value. Made for the usual types of keys ahead: another's class is looked up at
  /// run time each time.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  static func of<Value: Hashable & Sendable>(_ value: Value) -> Part { PartOf(value) }

  /// Whether this is the part by a value: as `isSame`, without making a part of it.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  final func isPart<Value: Hashable & Sendable>(by value: Value) -> Bool {
    guard type(of: self) == PartOf<Value>.self else { return false }
    // Unsafe, and right: the types have just been compared.
    return unsafeDowncast(self, to: PartOf<Value>.self).value == value
  }

  /// Whether both name the same part. Calls the `==` of the user's type.
  func isSame(as other: Part) -> Bool { self === other }

  /// The value in words, however long.
  var fullText: String { "" }

  /// The part for people.
  final var text: String {
    let text = fullText
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

/// A part by a value of this type.
final class PartOf<Value: Hashable & Sendable>: Part, @unchecked Sendable {
  // Unchecked as its superclass is.
  fileprivate let value: Value

  init(_ value: Value) {
    self.value = value
    super.init(hash: value.hashValue)
  }

  override func isSame(as other: Part) -> Bool {
    guard hash == other.hash, type(of: other) == type(of: self) else { return false }
    // Unsafe, and right: the types have just been compared, and no class derives from this one.
    return value == unsafeDowncast(other, to: PartOf<Value>.self).value
  }

  override var fullText: String { String(describing: value) }
}
