internal import SectionTable

/// A stored property. Every read is a section that reads, and every mutation a section that writes.
///
/// Use it in a class or an actor. The wrapper cannot be copied, so that a property is one resource;
/// it does not compile in a copyable struct. A mutation in place (`entries[key] = value`) is one
/// section from begin to end. A report shows the line of the access if the call stack has it,
/// otherwise the line of the declaration. If tracking is not compiled in, the wrapper is the value
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
  #endif

  /// Tracks a property under this name; under the name of its declaration if the name is empty.
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(
    wrappedValue: Value, _ name: StaticString = "", file: StaticString = #fileID,
    line: UInt = #line
  ) {
    value = wrappedValue
    #if INTERLOCK_TRACKING
    section = Section(name)
    self.file = file
    self.line = line
    #endif
  }

  /// The value; each access is a section.
  #if !INTERLOCK_TRACKING
  @inlinable
  #endif
  public var wrappedValue: Value {
    _read {
      #if INTERLOCK_TRACKING
      let open = section.words.beginAccess(writes: false, file, "@Tracked", line)
      // Only this end exists for the section, so none can come first.
      defer { _ = open.end() }
      #endif
      yield value
    }
    _modify {
      #if INTERLOCK_TRACKING
      let open = section.words.beginAccess(writes: true, file, "@Tracked", line)
      // Only this end exists for the section, so none can come first.
      defer { _ = open.end() }
      #endif
      yield &value
    }
  }
}
