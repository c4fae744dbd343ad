internal import CInterlockMemory

/// The stored property of an object that an address lies in.
enum PropertyName {
  /// `Users.names`; `nil` if the address is not in an object of a class. What an array's storage
  /// belongs to is not known.
  static func at(_ address: UInt) -> String? {
    var metadata: UnsafeRawPointer?
    let object = interlock_memory_object(address, &metadata)
    guard object != 0, let metadata else { return nil }
    // The C function has checked that it is the metadata of a class, which a type is a pointer to.
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

  /// The standard library's objects with elements.
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

/// As the standard library's own mirrors have it (`_FieldReflectionMetadata`).
private struct Field {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

// The runtime's functions behind `Mirror`, which needs a value; reading one here would race.

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldMetadata(
  _: Any.Type, _ index: Int, _ field: UnsafeMutablePointer<Field>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_: Any.Type, _ index: Int) -> Int
