extension NamedSections {
  /// Begins a section on a part of a resource with a literal name.
  public static func begin<Key: Hashable & Sendable>(
    writes: Bool, _ name: StaticString, part: Key, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    _ = Registry.begin(
      Resource(literal: name, instance: instance), writes: writes, part: Part.of(part),
      synched: synched,
      at: Site(file, function, line))
  }

  /// Begins a section on a part of a resource with a computed name.
  public static func begin<Key: Hashable & Sendable>(
    writes: Bool, computed name: String, part: Key, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      _ = Registry.begin(
        resource, writes: writes, part: Part.of(part), synched: synched,
        at: Site(file, function, line))
    }
  }

  /// Ends a section on a part of a resource with a literal name.
  public static func end<Key: Hashable & Sendable>(
    writes: Bool, _ name: StaticString, part: Key, _ instance: AnyObject?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
  ) {
    Registry.end(
      Resource(literal: name, instance: instance), writes: writes, part: Part.of(part),
      at: Site(file, function, line))
  }

  /// Ends a section on a part of a resource with a computed name.
  public static func end<Key: Hashable & Sendable>(
    writes: Bool, computed name: String, part: Key, _ instance: AnyObject?,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      Registry.end(resource, writes: writes, part: Part.of(part), at: Site(file, function, line))
    }
  }
}
