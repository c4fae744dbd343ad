/// A part of a resource, as named by the marking code: a key, an index, a row.
///
/// Two parts are the same if their types and values are equal. Hashes may collide, and only rule
/// parts out quickly. `AnyHashable` is not used: it asks the runtime for a conformance each time it
/// is created.
package class Part: @unchecked Sendable {
  // Unchecked: the class has one subclass, `PartOf`. Both are immutable.
  package let hash: UInt64

  init(hash: Int) { self.hash = UInt64(UInt(bitPattern: hash)) }

  /// Creates the part with this value. Specialised for the usual key types: for any other type, the
  /// class is looked up at run time.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  package static func of<Value: Hashable & Sendable>(_ value: Value) -> Part { PartOf(value) }

  /// True if this is the part with this value. Like `isSame`, without creating a part.
  @_specialize(where Value == Int)
  @_specialize(where Value == String)
  final func isPart<Value: Hashable & Sendable>(by value: Value) -> Bool {
    guard type(of: self) == PartOf<Value>.self else { return false }
    // Unsafe, but correct: the types have just been compared.
    return unsafeDowncast(self, to: PartOf<Value>.self).value == value
  }

  /// True if both name the same part. Calls `==` of the user's type.
  package func isSame(as other: Part) -> Bool { self === other }

  /// The value as text, of any length.
  package var fullText: String { "" }

  /// The part that a record owns, by its address; `nil` for 0.
  package static func at(_ address: UInt) -> Part? {
    UnsafeRawPointer(bitPattern: address)
      .map { Unmanaged<Part>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Retains a part for a record, and returns its address.
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

/// A part with a value of this type.
final class PartOf<Value: Hashable & Sendable>: Part, @unchecked Sendable {
  // Unchecked, like its superclass.
  fileprivate let value: Value

  init(_ value: Value) {
    self.value = value
    super.init(hash: value.hashValue)
  }

  override func isSame(as other: Part) -> Bool {
    guard hash == other.hash, type(of: other) == type(of: self) else { return false }
    // Unsafe, but correct: the types have just been compared, and the class is final.
    return value == unsafeDowncast(other, to: PartOf<Value>.self).value
  }

  override var fullText: String { String(describing: value) }
}
