/// A resource as passed to `begin` and `end`.
struct Resource {
  var key: ResourceKey
  /// The bytes of the name; they live at least until `begin` returns.
  var name: UInt
  var nameLength: UInt
  /// Whether a record must copy the name, because its bytes may be freed before the process ends.
  var nameIsBorrowed: Bool
  /// The address of the instance, or the number of the `Section`; 0 for neither.
  var instance: UInt
  /// The metadata address of the instance's type; 0 if `instance` is a number.
  var instanceType: UInt

  @inline(__always)
  init(literal name: StaticString, instance: AnyObject?) {
    let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    self.init(bytes: bytes, isBorrowed: false, instance: instance)
  }

  @inline(__always)
  init(bytes: UnsafeRawBufferPointer, isBorrowed: Bool, instance: AnyObject? = nil) {
    self.instance = instance.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
    instanceType = instance.map { unsafeBitCast(type(of: $0), to: UInt.self) } ?? 0
    key = ResourceKey(name: bytes, instance: self.instance)
    name = UInt(bitPattern: bytes.baseAddress)
    nameLength = UInt(bytes.count)
    nameIsBorrowed = isBorrowed
  }

  /// The name as it was given.
  var nameString: String { Site.string(name, nameLength) }

  /// The instance as text: `#3` for a `Section`, `Cache 0x…` for an object; `nil` for neither.
  var instanceDescription: String? {
    Self.instanceDescription(instance: instance, type: instanceType)
  }

  static func instanceDescription(instance: UInt, type: UInt) -> String? {
    guard instance != 0 else { return nil }
    guard type != 0 else { return "#\(instance)" }
    let metadata: Any.Type = unsafeBitCast(type, to: Any.Type.self)
    return "\(metadata) 0x\(String(instance, radix: 16))"
  }
}
