// The article's own spelling. A literal name costs no allocation; a computed name is not even
// computed if tracking is not compiled in.

#if INTERLOCK_TRACKING

/// Begins a section on the resource of this name, and of this instance if one is given.
///
/// Thread-safe. A conflict with another owner is reported before this returns. End it with
/// `END_LOCK` in the same mode, from the same task, or from the same thread outside a task. Source:
/// "Detecting race conditions in iOS" (2012).
public func BEGIN_LOCK(
  _ mode: Mode, _ name: StaticString, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  let site = Site(file, function, line)
  _ = Registry.begin(
    Resource(literal: name, instance: instance()), mode, synched: false, at: site)
}

/// Begins a section on the resource of this computed name.
@_disfavoredOverload
public func BEGIN_LOCK(
  _ mode: Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  beginNamed(mode, name(), instance(), synched: false, Site(file, function, line))
}

/// Begins a section, and claims that a real lock is held.
///
/// A conflict in it means that the lock does not do what its author thinks.
public func BEGIN_SYNCHED_LOCK(
  _ mode: Mode, _ name: StaticString, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  let site = Site(file, function, line)
  _ = Registry.begin(
    Resource(literal: name, instance: instance()), mode, synched: true, at: site)
}

/// Begins a section on the resource of this computed name, and claims that a real lock is held.
@_disfavoredOverload
public func BEGIN_SYNCHED_LOCK(
  _ mode: Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  beginNamed(mode, name(), instance(), synched: true, Site(file, function, line))
}

/// Ends the section that this owner began last in this mode on this resource.
///
/// Reports a misuse if there is none.
public func END_LOCK(
  _ mode: Mode, _ name: StaticString, of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  Registry.end(
    Resource(literal: name, instance: instance()), mode, at: Site(file, function, line))
}

/// Ends the section that this owner began last in this mode on the resource of this computed name.
@_disfavoredOverload
public func END_LOCK(
  _ mode: Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {
  var name = name()
  let instance = instance()
  name.withUTF8 { bytes in
    let resource = Resource(
      bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
    Registry.end(resource, mode, at: Site(file, function, line))
  }
}

private func beginNamed(
  _ mode: Mode, _ name: String, _ instance: AnyObject?, synched: Bool, _ site: Site
) {
  var name = name
  name.withUTF8 { bytes in
    let resource = Resource(
      bytes: UnsafeRawBufferPointer(bytes), isBorrowed: true, instance: instance)
    _ = Registry.begin(resource, mode, synched: synched, at: site)
  }
}

#else

/// Does nothing: tracking is not compiled in.
@_transparent
public func BEGIN_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {}

/// Does nothing: tracking is not compiled in.
@_transparent
public func BEGIN_SYNCHED_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {}

/// Does nothing: tracking is not compiled in.
@_transparent
public func END_LOCK(
  _ mode: @autoclosure () -> Mode, _ name: @autoclosure () -> String,
  of instance: @autoclosure () -> AnyObject? = nil,
  file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line
) {}

#endif
