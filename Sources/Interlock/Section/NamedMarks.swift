// The marks in the article's spelling. A literal name costs no allocation. If tracking is not
// compiled in, no argument is evaluated.

#if INTERLOCK_TRACKING
public import SectionTable
#endif

/// Begins a section on the resource of this name, and of this instance if one is given.
///
/// Thread-safe. A conflict with another owner is reported before this function returns. End the
/// section with `END_LOCK` in the same mode, from the same task, or from the same thread outside of
/// a task. Source: "Detecting race conditions in iOS" (2012).
@_transparent
public func BEGIN_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: StaticString,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(writes: mode().writes, name, instance(), synched: false, file, function, line)
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
  NamedSections.begin(
    writes: mode().writes, computed: name(), instance(), synched: false, file, function, line)
  #endif
}

/// Begins a section, and claims that a real lock is held.
///
/// A conflict in the section means that the lock does not protect what its author thinks.
@_transparent
public func BEGIN_SYNCHED_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: StaticString,
  of instance: @autoclosure () -> AnyObject? = nil, file: StaticString = #fileID,
  function: StaticString = #function, line: UInt = #line
) {
  #if INTERLOCK_TRACKING
  NamedSections.begin(writes: mode().writes, name, instance(), synched: true, file, function, line)
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
  NamedSections.begin(
    writes: mode().writes, computed: name(), instance(), synched: true, file, function, line)
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
  NamedSections.end(writes: mode().writes, name, instance(), file, function, line)
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
  NamedSections.end(writes: mode().writes, computed: name(), instance(), file, function, line)
  #endif
}
