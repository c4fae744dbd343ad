// The article's own spelling, for a part of a resource.

/// Begins a section on a part of the resource of this name, and of this instance if one is given.
///
/// Two owners on different parts do not conflict; one on the whole conflicts with one on any part.
/// Thread-safe.
@_transparent
public func BEGIN_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(
    mode(), name, part: part(), instance(), synched: false, file, function, line)
  #endif
}

/// Begins a section on a part of the resource of this computed name, and of this instance if given.
@_disfavoredOverload
@_transparent
public func BEGIN_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(
    mode(), computed: name(), part: part(), instance(), synched: false, file, function, line)
  #endif
}

/// Begins a section on a part, and claims that a real lock is held.
@_transparent
public func BEGIN_SYNCHED_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(
    mode(), name, part: part(), instance(), synched: true, file, function, line)
  #endif
}

/// Begins a section on a part, and claims that a real lock is held, by a computed name.
@_disfavoredOverload
@_transparent
public func BEGIN_SYNCHED_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(
    mode(), computed: name(), part: part(), instance(), synched: true, file, function, line)
  #endif
}

/// Ends the section that this owner began last in this mode on an equal part of this resource.
@_transparent
public func END_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.end(mode(), name, part: part(), instance(), file, function, line)
  #endif
}

/// Ends the section that this owner began last in this mode on an equal part, by a computed name.
@_disfavoredOverload
@_transparent
public func END_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.end(mode(), computed: name(), part: part(), instance(), file, function, line)
  #endif
}

#if INTERLOCK_TRACKING

extension NamedSections {
  @usableFromInline
  static func begin<Key: Hashable & Sendable>(
    _ mode: Mode, _ name: StaticString, part: Key, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    _ = Registry.begin(
      Resource(literal: name, instance: instance), mode, part: Part.of(part), synched: synched,
      at: Site(file, function, line))
  }

  @usableFromInline
  static func begin<Key: Hashable & Sendable>(
    _ mode: Mode, computed name: String, part: Key, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      _ = Registry.begin(
        resource, mode, part: Part.of(part), synched: synched, at: Site(file, function, line))
    }
  }

  @usableFromInline
  static func end<Key: Hashable & Sendable>(
    _ mode: Mode, _ name: StaticString, part: Key, _ instance: AnyObject?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
  ) {
    Registry.end(
      Resource(literal: name, instance: instance), mode, part: Part.of(part),
      at: Site(file, function, line))
  }

  @usableFromInline
  static func end<Key: Hashable & Sendable>(
    _ mode: Mode, computed name: String, part: Key, _ instance: AnyObject?,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      Registry.end(resource, mode, part: Part.of(part), at: Site(file, function, line))
    }
  }
}

#endif
