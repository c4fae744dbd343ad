// The marks in the article's spelling, for a part of a resource.

#if INTERLOCK_TRACKING
public import SectionTable
#endif

/// Begins a section on a part of the resource of this name, and of this instance if one is given.
///
/// Two owners on different parts do not conflict. An owner on the whole conflicts with an owner on
/// any part. Thread-safe.
@_transparent
public func BEGIN_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: StaticString, part: @autoclosure () -> Key,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(
    writes: mode().writes, name, part: part(), instance(), synched: false, file, function, line)
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
    writes: mode().writes, computed: name(), part: part(), instance(), synched: false, file,
    function, line)
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
    writes: mode().writes, name, part: part(), instance(), synched: true, file, function, line)
  #endif
}

/// Begins a section on a part of a resource with a computed name, and claims that a real lock is
/// held.
@_disfavoredOverload
@_transparent
public func BEGIN_SYNCHED_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(
    writes: mode().writes, computed: name(), part: part(), instance(), synched: true, file,
    function, line)
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
  NamedSections.end(writes: mode().writes, name, part: part(), instance(), file, function, line)
  #endif
}

/// Ends the section that this owner began last in this mode on an equal part of a resource with a
/// computed name.
@_disfavoredOverload
@_transparent
public func END_LOCK<Key: Hashable & Sendable>(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  part: @autoclosure () -> Key, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.end(
    writes: mode().writes, computed: name(), part: part(), instance(), file, function, line)
  #endif
}
