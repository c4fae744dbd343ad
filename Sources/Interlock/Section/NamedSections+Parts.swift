// The article's own spelling, for a part of a resource.

#if INTERLOCK_TRACKING

/// Begins a section on a part of the resource of this name, and of this instance if one is given.
///
/// Two owners on different parts do not conflict; one on the whole conflicts with one on any part.
/// Thread-safe.
public func BEGIN_LOCK<Key: Hashable & Sendable>(
  _ mode: Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  let resource = Resource(literal: name, instance: instance())
  _ = Registry.begin(
    resource, mode, part: Part.of(part()), synched: false, at: Site(file, function, line))
}

/// Begins a section on a part of the resource of this computed name, and of this instance if given.
@_disfavoredOverload
public func BEGIN_LOCK<Key: Hashable & Sendable>(
  _ mode: Mode, _ name: @autoclosure () -> String, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  withResource(name(), instance()) { resource in
    _ = Registry.begin(
      resource, mode, part: Part.of(part()), synched: false, at: Site(file, function, line))
  }
}

/// Begins a section on a part, and claims that a real lock is held.
public func BEGIN_SYNCHED_LOCK<Key: Hashable & Sendable>(
  _ mode: Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  let resource = Resource(literal: name, instance: instance())
  _ = Registry.begin(
    resource, mode, part: Part.of(part()), synched: true, at: Site(file, function, line))
}

/// Begins a section on a part, and claims that a real lock is held, by a computed name.
@_disfavoredOverload
public func BEGIN_SYNCHED_LOCK<Key: Hashable & Sendable>(
  _ mode: Mode, _ name: @autoclosure () -> String, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  withResource(name(), instance()) { resource in
    _ = Registry.begin(
      resource, mode, part: Part.of(part()), synched: true, at: Site(file, function, line))
  }
}

/// Ends the section that this owner began last in this mode on an equal part of this resource.
public func END_LOCK<Key: Hashable & Sendable>(
  _ mode: Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  let resource = Resource(literal: name, instance: instance())
  Registry.end(resource, mode, part: Part.of(part()), at: Site(file, function, line))
}

/// Ends the section that this owner began last in this mode on an equal part, by a computed name.
@_disfavoredOverload
public func END_LOCK<Key: Hashable & Sendable>(
  _ mode: Mode, _ name: @autoclosure () -> String, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  withResource(name(), instance()) { resource in
    Registry.end(resource, mode, part: Part.of(part()), at: Site(file, function, line))
  }
}

private func withResource(
  _ name: String, _ instance: AnyObject?, _ body: (borrowing Resource) -> Void
) {
  var name = name
  name.withUTF8 { bytes in
    body(
      Resource(bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance))
  }
}

#else

/// Does nothing: tracking is not compiled in.
@_transparent
public func BEGIN_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {}

/// Does nothing: tracking is not compiled in.
@_transparent
public func BEGIN_SYNCHED_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {}

/// Does nothing: tracking is not compiled in.
@_transparent
public func END_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {}

#endif
