internal import SectionTable

extension Resource {
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
