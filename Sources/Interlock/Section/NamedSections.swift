// The article's own spelling. A name in a literal costs no allocation. Where tracking is not
// compiled in, no argument is evaluated.

/// Begins a section on the resource of this name, and of this instance if one is given.
///
/// Thread-safe. A conflict with another owner is reported before this returns. End it with
/// `END_LOCK` in the same mode, from the same task, or from the same thread outside a task. Source:
/// "Detecting race conditions in iOS" (2012).
@_transparent
public func BEGIN_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: StaticString,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(mode(), name, instance(), synched: false, file, function, line)
  #endif
}

/// Begins a section on the resource of this computed name.
@_disfavoredOverload
@_transparent
public func BEGIN_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(mode(), computed: name(), instance(), synched: false, file, function, line)
  #endif
}

/// Begins a section, and claims that a real lock is held.
///
/// A conflict in it means that the lock does not do what its author thinks.
@_transparent
public func BEGIN_SYNCHED_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: StaticString,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(mode(), name, instance(), synched: true, file, function, line)
  #endif
}

/// Begins a section on the resource of this computed name, and claims that a real lock is held.
@_disfavoredOverload
@_transparent
public func BEGIN_SYNCHED_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(mode(), computed: name(), instance(), synched: true, file, function, line)
  #endif
}

/// Ends the section that this owner began last in this mode on this resource.
///
/// Reports a misuse if there is none.
@_transparent
public func END_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: StaticString,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.end(mode(), name, instance(), file, function, line)
  #endif
}

/// Ends the section that this owner began last in this mode on the resource of this computed name.
@_disfavoredOverload
@_transparent
public func END_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.end(mode(), computed: name(), instance(), file, function, line)
  #endif
}

#if INTERLOCK_TRACKING

/// The functions that the named marks call. They are not inlined, so that a stack begins with the
/// marked function.
@usableFromInline
enum NamedSections {
  @usableFromInline
  static func begin(
    _ mode: Mode, _ name: StaticString, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    _ = Registry.begin(
      Resource(literal: name, instance: instance), mode, synched: synched,
      at: Site(file, function, line))
  }

  @usableFromInline
  static func begin(
    _ mode: Mode, computed name: String, _ instance: AnyObject?, synched: Bool,
    _ file: StaticString, _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      _ = Registry.begin(resource, mode, synched: synched, at: Site(file, function, line))
    }
  }

  @usableFromInline
  static func end(
    _ mode: Mode, _ name: StaticString, _ instance: AnyObject?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
  ) {
    Registry.end(
      Resource(literal: name, instance: instance), mode, at: Site(file, function, line))
  }

  @usableFromInline
  static func end(
    _ mode: Mode, computed name: String, _ instance: AnyObject?, _ file: StaticString,
    _ function: StaticString, _ line: UInt
  ) {
    var name = name
    name.withUTF8 { bytes in
      let resource = Resource(
        bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
      Registry.end(resource, mode, at: Site(file, function, line))
    }
  }
}

#endif
