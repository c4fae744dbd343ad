/// A resource as passed to `begin` and `end`.
package struct Resource {
  package var key: ResourceKey
  /// The bytes of the name, which stay valid at least until `begin` returns.
  package var name: UInt
  package var nameLength: UInt
  /// True if a record must copy the name, because its bytes may be freed before the process ends.
  var nameIsBorrowed: Bool
  /// The address of the instance, or the number of the `Section`; 0 for neither.
  package var instance: UInt
  /// The metadata address of the instance's type; 0 if `instance` is a number.
  package var instanceType: UInt

  @inline(__always)
  package init(literal name: StaticString, instance: AnyObject?) {
    let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    self.init(bytes: bytes, isBorrowed: false, instance: instance)
  }

  @inline(__always)
  package init(bytes: UnsafeRawBufferPointer, isBorrowed: Bool, instance: AnyObject? = nil) {
    self.instance = instance.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
    instanceType = instance.map { unsafeBitCast(type(of: $0), to: UInt.self) } ?? 0
    key = ResourceKey(name: bytes, instance: self.instance)
    name = UInt(bitPattern: bytes.baseAddress)
    nameLength = UInt(bytes.count)
    nameIsBorrowed = isBorrowed
  }
}
