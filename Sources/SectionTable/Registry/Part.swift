/// A part of a resource, as the marking code names it: a key, an index, a row.
///
/// Two are the same part if their types and values are equal; hashes, which may collide, only rule
/// out quickly. Not an `AnyHashable`, which asks the runtime for a conformance each time it is
/// made.
package class Part: @unchecked Sendable {
  // Unchecked: it has subclasses, of which `PartOf` is the only one; both are immutable.
  package let hash: UInt64

  init(hash: Int) { self.hash = UInt64(UInt(bitPattern: hash)) }

  /// The part with this value. Specialised for the usual key types: the class of any other is
  /// looked up at run time each time.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  package static func of<Value: Hashable & Sendable>(_ value: Value) -> Part { PartOf(value) }

  /// Whether this is the part with this value: as `isSame`, without making a part.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  final func isPart<Value: Hashable & Sendable>(by value: Value) -> Bool {
    guard type(of: self) == PartOf<Value>.self else { return false }
    // Unsafe, but right: the types have just been compared.
    return unsafeDowncast(self, to: PartOf<Value>.self).value == value
  }

  /// Whether both name the same part. Calls the `==` of the user's type.
  package func isSame(as other: Part) -> Bool { self === other }

  /// The value as text, of any length.
  package var fullText: String { "" }

  /// The part that a record owns, by its address; 0 for none.
  package static func at(_ address: UInt) -> Part? {
    UnsafeRawPointer(bitPattern: address)
      .map { Unmanaged<Part>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Makes a record own a part.
  static func retain(_ part: Part?) -> UInt {
    part.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
  }

  /// Releases a part that a record owned.
  package static func release(_ address: UInt) {
    if let pointer = UnsafeRawPointer(bitPattern: address) {
      Unmanaged<Part>.fromOpaque(pointer).release()
    }
  }
}

/// A part whose value has this type.
final class PartOf<Value: Hashable & Sendable>: Part, @unchecked Sendable {
  // Unchecked, as its superclass.
  fileprivate let value: Value

  init(_ value: Value) {
    self.value = value
    super.init(hash: value.hashValue)
  }

  override func isSame(as other: Part) -> Bool {
    guard hash == other.hash, type(of: other) == type(of: self) else { return false }
    // Unsafe, but right: the types have just been compared, and no class derives from this one.
    return value == unsafeDowncast(other, to: PartOf<Value>.self).value
  }

  override var fullText: String { String(describing: value) }
}
