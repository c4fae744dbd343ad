/// The functions called by the named marks. They are not inlined, so that a stack begins with the
/// marked function.
public enum NamedSections {
  /// Begins a section on a resource with a literal name.
  public static func begin(
    writes: Bool, _ name: StaticString, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    _ = Registry.begin(
      Resource(literal: name, instance: instance), writes: writes, synched: synched,
      at: Site(file, function, line))
  }

  /// Begins a section on a resource with a computed name.
  public static func begin(
    writes: Bool, computed name: String, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      _ = Registry.begin(resource, writes: writes, synched: synched, at: Site(file, function, line))
    }
  }

  /// Ends a section on a resource with a literal name.
  public static func end(
    writes: Bool, _ name: StaticString, _ instance: AnyObject?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
  ) {
    Registry.end(
      Resource(literal: name, instance: instance), writes: writes, at: Site(file, function, line))
  }

  /// Ends a section on a resource with a computed name.
  public static func end(
    writes: Bool, computed name: String, _ instance: AnyObject?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      Registry.end(resource, writes: writes, at: Site(file, function, line))
    }
  }
}

extension NamedSections {
  /// Begins a section on a name whose bytes are freed afterwards.
  package static func begin(
    writes: Bool, bytes name: UnsafeRawBufferPointer, synched: Bool, at site: Site
  ) {
    let resource = Resource(bytes: name, isBorrowed: true)
    _ = Registry.begin(resource, writes: writes, synched: synched, at: site)
  }

  /// Ends a section on a name whose bytes are freed afterwards.
  package static func end(writes: Bool, bytes name: UnsafeRawBufferPointer, at site: Site) {
    Registry.end(Resource(bytes: name, isBorrowed: true), writes: writes, at: site)
  }
}
