/// A stored property whose every read is a section that reads, and every mutation one that writes.
///
/// It belongs in a class or an actor: the wrapper cannot be copied, so that a property is one
/// resource, and a copyable struct that tries it does not compile. A mutation in place
/// (`entries[key] = value`) is one section from its begin to its end. A report names the line of
/// the access by the call stack, and the line of the declaration where the stack does not tell.
/// Where tracking is not compiled in, this is the value.
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

  /// Tracks a property, under a name of its own or, without one, that of its declaration.
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
      // A property's section has no other end that could be first.
      defer { if let open { _ = Registry.end(open) } }
      yield value
    }
    _modify {
      let open = Registry.begin(
        section.resource, .noReadWrite, synched: false, placeFromStack: true,
        at: Site(file, "@Tracked", line))
      // A property's section has no other end that could be first.
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
