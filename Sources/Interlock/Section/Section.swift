#if INTERLOCK_TRACKING
public import SectionTable
#endif

/// A resource of one instance, whose reads and writes are marked.
///
/// Two sections with the same name are two resources. A copy of a section is the same resource. A
/// section has no memory beyond the value itself, and no size if tracking is not compiled in.
/// Thread-safe.
public struct Section: Sendable {
  #if INTERLOCK_TRACKING
  @usableFromInline let words: SectionWords

  var resource: Resource { words.resource }
  #endif

  /// Creates a resource with this name.
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(_ name: StaticString) {
    #if INTERLOCK_TRACKING
    words = SectionWords(name)
    #endif
  }

  /// Creates a resource with this computed name, which is kept for the life of the process.
  @_disfavoredOverload
  #if !INTERLOCK_TRACKING
  @_transparent
  #endif
  public init(_ name: @autoclosure () -> String) {
    #if INTERLOCK_TRACKING
    words = SectionWords(computed: name())
    #endif
  }
}
