/// A stored property whose every read is a section that reads, and every mutation one that writes.
///
/// Use it in a class or an actor: the wrapper cannot be copied, so that a property is one resource,
/// and a copyable struct that tries it does not compile. A mutation in place (`entries[key] =
/// value`) is one section from begin to end. A report shows the line of the access if the call
/// stack has it, else that of the declaration. If tracking is not compiled in, this is the value
/// alone.
///
///     final class Cache: @unchecked Sendable {
///       @Tracked var entries: [String: Int] = [:]
///     }
@propertyWrapper
public struct Tracked<Value>: ~Copyable {
  @usableFromInline
  var value: Value

  #if INTERLOCK_TRACKING
  private let section: Section
  private let file: StaticString
  private let line: UInt

  /// Tracks a property under this name, or under its declaration's if `nil`.
  public init(
    wrappedValue: Value, _ name: StaticString = "", file: StaticString = #fileID,
    line: UInt = #line
  ) {
    value = wrappedValue
    section = Section(name)
    self.file = file
    self.line = line
  }

  /// The value; each access is a section.
  public var wrappedValue: Value {
    _read {
      let open = Registry.begin(
        section.resource, .noWrite, synched: false, placeFromStack: true,
        at: Site(file, "@Tracked", line))
      // A property's section has no other end that could come first.
      defer { if let open { _ = Registry.end(open) } }
      yield value
    }
    _modify {
      let open = Registry.begin(
        section.resource, .noReadWrite, synched: false, placeFromStack: true,
        at: Site(file, "@Tracked", line))
      // A property's section has no other end that could come first.
      defer { if let open { _ = Registry.end(open) } }
      yield &value
    }
  }
  #else
  /// The value alone: tracking is not compiled in.
  @_transparent
  public init(
    wrappedValue: Value, _ name: @autoclosure () -> String = "", file: StaticString = #fileID,
    line: UInt = #line
  ) {
    value = wrappedValue
  }

  /// The value.
  @inlinable
  public var wrappedValue: Value {
    @inline(__always) _read { yield value }
    @inline(__always) _modify { yield &value }
  }
  #endif
}
