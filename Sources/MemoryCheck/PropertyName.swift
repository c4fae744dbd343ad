internal import CInterlockMemory

/// Finds the stored property of an object at an address.
enum PropertyName {
  /// `Users.names`; `nil` if the address is not in a class instance. The owner of an array's
  /// storage is unknown.
  static func at(_ address: UInt) -> String? {
    var metadata: UnsafeRawPointer?
    let object = interlock_memory_object(address, &metadata)
    guard object != 0, let metadata else { return nil }
    // The C function has checked that this is a class's metadata; a type is a pointer to its
    // metadata.
    let type = unsafeBitCast(metadata, to: Any.Type.self)
    let name = String(describing: type)
    if let kind = storages.first(where: { name.hasPrefix($0.prefix) })?.kind { return kind }
    let offset = Int(address - object)
    for index in 0..<fieldCount(type) {
      var field = Field()
      let fieldType = fieldMetadata(type, index, &field)
      defer { field.free?(field.name) }
      let start = fieldOffset(type, index)
      guard offset >= start, offset < start + size(of: fieldType), let text = field.name else {
        continue
      }
      return "\(name).\(String(cString: text).replacing("$__lazy_storage_$_", with: ""))"
    }
    return nil
  }

  /// The standard library's classes that store elements.
  private static let storages = [
    (prefix: "_ContiguousArrayStorage<", kind: "an element of an array"),
    (prefix: "_DictionaryStorage<", kind: "an entry of a dictionary"),
    (prefix: "_SetStorage<", kind: "an element of a set"),
    (prefix: "__StringStorage", kind: "the characters of a string"),
  ]

  private static func size(of type: Any.Type) -> Int {
    func size<Value>(_: Value.Type) -> Int { max(MemoryLayout<Value>.size, 1) }
    return _openExistential(type, do: size)
  }
}

/// The layout of `_FieldReflectionMetadata` in the standard library's mirrors.
private struct Field {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

// Call the runtime functions behind `Mirror` directly: `Mirror` needs a value, and reading one here
// would race.

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldMetadata(
  _: Any.Type, _ index: Int, _ field: UnsafeMutablePointer<Field>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_: Any.Type, _ index: Int) -> Int
